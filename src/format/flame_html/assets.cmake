# The page, in the order in which its scripts need each other.
set(ATYS_FLAME_PAGE ${CMAKE_CURRENT_BINARY_DIR}/flame_html_page.cpp)
atys_embed(
  OUTPUT ${ATYS_FLAME_PAGE}
  NAMESPACE atys::format::flame_html
  HEADER format/flame_html/page.h
  CONSTANTS
    kPageHtml=page.html
    kPageCss=page.css
    kPageScript=decode.js,units.js,selection.js,tree.js,symbols.js,invert.js,sandwich.js,layout.js,lines.js,chart_lanes.js,chart.js,axis.js,compare.js,model.js,colour.js,look.js,render.js,search.js,details.js,crumbs.js,stack_text.js,table.js,facts.js,legend.js,facets.js,menu.js,address.js,go_to.js,time_input.js,input.js,app.js)
list(APPEND ATYS_FORMAT_GENERATED ${ATYS_FLAME_PAGE})

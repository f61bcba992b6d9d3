# The page, in the order in which its scripts need each other.
set(ATYS_FLAME_PAGE ${CMAKE_CURRENT_BINARY_DIR}/flame_html_page.cpp)
atys_embed(
  OUTPUT ${ATYS_FLAME_PAGE}
  NAMESPACE atys::format::flame_html
  HEADER format/flame_html/page.h
  CONSTANTS
    kPageHtml=page.html
    kPageCss=page.css
    kPageScript=decode.js,units.js,tree.js,invert.js,layout.js,colour.js,render.js,search.js,details.js,table.js,facts.js,input.js,app.js)
list(APPEND ATYS_FORMAT_GENERATED ${ATYS_FLAME_PAGE})

// SPDX-License-Identifier: Apache-2.0
// Records are cleaned with a dozen functions of lodash; one field has very many spaces inside.
const _ = require('lodash');
const rows = _.range(20000).map(i => ({id: i, name: ` name ${i} `, group: i % 37, tags: ['a', 'b', `t${i % 11}`], size: String(i)}));

function report(rows) {
  const groups = _.groupBy(rows, 'group');
  const sums = _.mapValues(groups, group => _.sumBy(group, row => _.toNumber(row.size)));
  const names = _.uniq(_.map(rows, row => _.camelCase(_.trim(row.name))));
  const sorted = _.orderBy(_.cloneDeep(rows.slice(0, 4000)), ['group', 'id'], ['desc', 'asc']);
  return _.size(sums) + names.length + _.flatMap(sorted, 'tags').length + _.chunk(rows, 7).length + _.isEqual(rows, _.map(rows, _.clone));
}

console.log(report(rows) + report(rows), _.trim('a' + ' '.repeat(26000) + 'b').length, _.toNumber('1' + ' '.repeat(20000) + '2'));

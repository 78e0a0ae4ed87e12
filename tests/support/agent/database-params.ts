import { hostileText, noText } from '#tests/support/hostile.ts'

const words = [...hostileText, ...noText, '']

/** Values that each param of the commands for the database of a site refuses. */
export const hostileDatabase = {
  action: [...words, 'drop', 'CHECK', 'check; DROP TABLE a'],
  rights: [...words, 'all', 'Read', 'read, GRANT OPTION'],
  minutes: [0, -1, 61, 1.5, '60', null, true, [], {}],
  token: [...words, 'a'.repeat(9), 'a'.repeat(11), 'A'.repeat(10), 'a_b_c_d_e_', "a'@'%'----"],
  upload: [...words, 'a'.repeat(15), 'a'.repeat(17), '../../../../etc/a', 'A'.repeat(16)],
  part_count: [0, -1, 9001, 1.5, '1', null, [], {}],
  packed: [null, 'true', 0, 1, {}, []],
  replace: [null, 'true', 0, 1, {}, []],
  account_hash: [
    ...words,
    ...['A'.repeat(40), `*${'a'.repeat(40)}`, `*${'A'.repeat(41)}`, `*${'A'.repeat(40)}'`],
  ],
}

export const validDatabase = {
  ...{ action: 'check', rights: 'read', minutes: 60, token: 'a1b2c3d4e5' },
  ...{ upload: 'a'.repeat(16), part_count: 1, packed: true, replace: false },
  account_hash: `*${'A'.repeat(40)}`,
}

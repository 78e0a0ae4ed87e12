import type { Random } from '#tests/support/random.ts'

export interface Column {
  type: string
  /** Not in tables in memory. */
  large?: true
  /** As in a statement. */
  value(random: Random): string
}

export const quoted = (name: string) => `\`${name.replaceAll('`', '``')}\``

const hex = (bytes: Uint8Array) =>
  bytes.length === 0 ? "''" : `x'${Buffer.from(bytes).toString('hex')}'`

const TEXTS = [
  ...['', ' ', 'a', 'it\'s; -- "x"', 'Grüße', '𝄞🎉', '\\', '\\n', '\r\n', '\0\x1a', "');--"],
  ...['/*!50000 x */', 'NULL', '0', '<?php', 'a:1:{s:3:"ä";i:1;}', '\u2028', 'DELIMITER ;;\n'],
]
const DAYS = ['0000-00-00', '1000-01-01', '1970-01-01', '2026-03-29', '2024-02-29', '9999-12-31']
const TIMES = ['00:00:00', '02:30:00.5', '23:59:59.999999']

const text = (random: Random) => hex(Buffer.from(random.pick(TEXTS).repeat(random.between(1, 3))))
/** Converted from utf8mb4, as a client sends it. */
const words = (random: Random) => `CONVERT(${text(random)} USING utf8mb4)`
const bytes = (most: number) => (random: Random) => hex(random.bytes(random.below(most)))
/** Rarely more than one packet of a client: each state of the tables is compared with all its bytes. */
const repeated = (random: Random) => {
  const large = random.chance(0.2) ? 2_000_000 : 300_000
  return `REPEAT(${hex(random.bytes(3))}, ${random.chance(0.05) ? large : random.below(9999)})`
}
const oneOf =
  (...values: string[]) =>
  (random: Random) =>
    random.pick(values)
const number = (random: Random) =>
  random.pick(['0', '1', '-1', '127', '-9223372036854775808', `${random.below(2 ** 31)}`])
const real = (random: Random) =>
  random.pick([
    '0',
    '-0.0',
    '0.1',
    '1e-300',
    '-1.7976931348623157e308',
    '3.141592653589793',
    `${random.below(2 ** 31)}e-7`,
  ])
const moment = (random: Random) => `'${random.pick(DAYS)} ${random.pick(TIMES)}'`

const maybe =
  (value: Column['value']): Column['value'] =>
  (random) =>
    random.chance(0.1) ? 'NULL' : value(random)

const plain = (type: string, value: Column['value']): Column => ({ type, value: maybe(value) })
const large = (type: string, value: Column['value']): Column => ({
  ...plain(type, value),
  large: true,
})

export const COLUMNS: readonly Column[] = [
  plain('TINYINT', number),
  plain('BIGINT', number),
  plain('INT UNSIGNED', number),
  plain('DECIMAL(40,12)', real),
  plain('DOUBLE', real),
  // mariadb-dump writes six digits of a FLOAT, so a seventh is lost.
  plain('FLOAT', oneOf('0', '0.1', '-3.40282e38', '123456', '1.17549e-38', '123.456')),
  plain('CHAR(20)', words),
  plain('VARCHAR(150)', words),
  plain("VARCHAR(150) DEFAULT 'it''s'", words),
  plain('VARCHAR(150) CHARACTER SET latin1 COLLATE latin1_bin', words),
  plain('BINARY(16)', bytes(17)),
  plain('VARBINARY(200)', bytes(200)),
  large('TEXT', words),
  large('LONGTEXT', words),
  large('BLOB', bytes(3000)),
  large('LONGBLOB', repeated),
  large('JSON', oneOf('\'{"a": "\\\\u00e4🎉"}\'', "'[]'", "'1e5'")),
  plain('DATE', (random) => `'${random.pick(DAYS)}'`),
  plain('DATETIME(6)', moment),
  plain('TIMESTAMP(3) NULL', moment),
  plain('TIME(6)', oneOf("'-838:59:59'", "'838:59:59.999999'", "'00:00:00.000001'")),
  plain('YEAR', oneOf('0', '1901', '2155')),
  plain("ENUM('a','it''s','ü')", oneOf("'a'", "'ü'", "'x'", '2')),
  plain("SET('a','b','c d')", oneOf("''", "'a,b'", '7')),
  plain('BIT(17)', oneOf("b'0'", "b'10000000000000001'", "b'1'")),
  plain('INET6', oneOf("'::1'", "'::ffff:1.2.3.4'")),
  plain('UUID', oneOf("'123e4567-e89b-12d3-a456-426655440000'")),
  large('POINT', oneOf('POINT(1.5, -2e10)')),
]

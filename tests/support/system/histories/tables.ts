import type { Random } from '#tests/support/random.ts'
import { COLUMNS, type Column, quoted } from './columns.ts'

const NAMES = [
  'posts',
  'Ünï',
  'a b',
  'semi;colon',
  "it's",
  'new\nline',
  'back`tick',
  '%s',
  '-- x',
  'select',
  'кот',
  '..',
  'ü/ä',
]
const ENGINES = ['InnoDB', 'InnoDB', 'InnoDB', 'Aria', 'MyISAM', 'MEMORY', 'CSV']

interface Table {
  name: string
  engine: string
  columns: readonly Column[]
}

/** What the database of a site has, as far as statements are made from it. */
export class Tables {
  #tables: Table[] = []

  /** Statements of one random change. */
  change(random: Random, index: number): string {
    if (this.#tables.length < 2 || random.chance(0.25)) return this.#create(random, index)
    return this.#alter(random, index)
  }

  #create(random: Random, index: number): string {
    const engine = random.pick(ENGINES)
    const fits = COLUMNS.filter(({ large }) => engine !== 'MEMORY' || !large)
    const columns = Array.from({ length: random.between(1, 7) }, () => random.pick(fits))
    const name = `${random.pick(NAMES)}${index}`
    const table = { name, engine, columns }
    this.#tables.push(table)
    const keyed = engine !== 'CSV' && random.chance(0.7)
    const id = keyed ? ['id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY'] : []
    const end = engine === 'CSV' ? 'NOT NULL' : ''
    const derived = keyed ? generatedOf(random, engine) : []
    const each = columns.map(({ type }, at) => `c${at} ${type} ${end}`)
    const more = optionsOf(random, engine)
    return [
      `CREATE TABLE ${quoted(name)} (${[...id, ...each, ...derived].join(', ')}) ENGINE=${engine} ${more} ${keyed ? partitionsOf(random, engine) : ''};`,
      this.#insert(random, table, random.between(0, 20)),
      keyed && random.chance(0.4) ? referring(name, index) : '',
    ].join('\n')
  }

  #insert(random: Random, { name, columns }: Table, count: number): string {
    const names = columns.map((_, at) => `c${at}`).join(', ')
    const row = () => `(${columns.map((column) => column.value(random)).join(', ')})`
    const rows = Array.from({ length: count }, row)
    return rows
      .map((values) => `INSERT INTO ${quoted(name)} (${names}) VALUES ${values};`)
      .join('\n')
  }

  #alter(random: Random, index: number): string {
    const table = random.pick(this.#tables)
    const [column, at] = [table.columns[0], 0]
    const name = quoted(table.name)
    const choices: (() => string)[] = [
      () => this.#insert(random, table, random.between(1, 30)),
      () => this.#insert(random, table, random.between(1, 30)),
      () => `UPDATE ${name} SET c${at} = ${column?.value(random)} LIMIT ${random.between(1, 5)};`,
      () => `DELETE FROM ${name} LIMIT ${random.between(1, 5)};`,
      () => `INSERT INTO ${name} SELECT * FROM ${name};`,
      () => `ALTER TABLE ${name} ADD COLUMN extra${index} VARCHAR(20) NOT NULL DEFAULT 'ü';`,
      () => `ALTER TABLE ${name} ADD INDEX more${index} (c${at});`,
      () => `ALTER TABLE ${name} AUTO_INCREMENT = ${random.between(1, 2 ** 31)};`,
      () => `ALTER TABLE ${name} COMMENT = 'a; -- "comment" of \\'it\\' 🎉';`,
      () => `TRUNCATE TABLE ${name};`,
      () => this.#drop(table),
      () =>
        `CREATE SEQUENCE sequence${index} START WITH ${random.below(99)}; DO NEXTVAL(sequence${index});`,
    ]
    return random.pick(choices)()
  }

  #drop(table: Table): string {
    this.#tables = this.#tables.filter((other) => other !== table)
    return `DROP TABLE IF EXISTS ${quoted(table.name)};`
  }
}

/** Values that the server computes: a restore must not write them, or must write the same. */
function generatedOf(random: Random, engine: string): string[] {
  if (engine === 'MEMORY' || random.chance(0.6)) return []
  return [
    "computed VARCHAR(60) AS (CONCAT('ü', id)) VIRTUAL",
    'stored BIGINT UNSIGNED AS (id % 7) PERSISTENT',
    ...(engine === 'InnoDB' ? ['INDEX by_computed (computed)'] : []),
  ]
}

function partitionsOf(random: Random, engine: string): string {
  if (engine === 'MEMORY' || random.chance(0.7)) return ''
  return random.pick([
    'PARTITION BY HASH(id) PARTITIONS 3',
    'PARTITION BY RANGE(id) (PARTITION p0 VALUES LESS THAN (9), PARTITION `p é` VALUES LESS THAN MAXVALUE)',
  ])
}

/** A table whose rows belong to those of another one, which a restore replaces as well. */
function referring(name: string, index: number): string {
  const child = `child${index}`
  return [
    `CREATE TABLE ${child} (id INT AUTO_INCREMENT PRIMARY KEY, of BIGINT UNSIGNED NOT NULL,
      CONSTRAINT of${index} FOREIGN KEY (of) REFERENCES ${quoted(name)} (id) ON DELETE CASCADE) ENGINE=InnoDB;`,
    `INSERT INTO ${child} (of) SELECT id FROM ${quoted(name)} LIMIT 7;`,
  ].join('\n')
}

function optionsOf(random: Random, engine: string): string {
  const charset = random.pick(['utf8mb4', 'latin1', 'utf8mb3', 'ucs2', 'binary', 'utf8mb4'])
  const formats = {
    InnoDB: [
      '',
      'ROW_FORMAT=COMPRESSED',
      'ROW_FORMAT=REDUNDANT',
      'ROW_FORMAT=COMPACT',
      'PAGE_COMPRESSED=1',
    ],
    Aria: ['', 'TRANSACTIONAL=0', 'ROW_FORMAT=DYNAMIC', 'PAGE_CHECKSUM=1'],
    MyISAM: ['', 'ROW_FORMAT=DYNAMIC', 'CHECKSUM=1'],
  }
  const words = [`CHARACTER SET ${charset}`, random.pick(formats[engine as 'InnoDB'] ?? [''])]
  return words.join(' ')
}

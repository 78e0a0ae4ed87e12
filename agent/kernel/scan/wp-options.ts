import type { WpConfig } from './wp-config.ts'

/** A SELECT, and the account of the site that runs it. */
export interface OptionsQuery {
  user: string
  password: string
  sql: string
  /** The identifiers for `??` and values for `?`, in order. */
  values: readonly string[]
  /** True when the server must be the one that TCP reaches: see `isReachedByTcp`. */
  tcp?: boolean
}

/** The maximum size of a row: a site controls its own rows. */
const MAX_BYTES = 1 << 20
const MAX_ROWS = 16
/** The limits of the statement in seconds: of its duration, and of the wait for a locked table. */
const LIMITS = 'SET STATEMENT max_statement_time = 1.2, lock_wait_timeout = 1 FOR'

const OPTIONS = ['active_plugins', 'template', 'stylesheet']
const NETWORK = [
  'active_sitewide_plugins',
  '_site_transient_update_core',
  '_site_transient_update_plugins',
  '_site_transient_update_themes',
]

/** The reason why a database is not queried. */
export type NotQueried = 'incomplete' | 'elsewhere'

/**
 * Returns the query for all options at once (in a network, update data is in sitemeta:
 * get_site_transient), or why there is none: the account, the database or the prefix is unknown, or
 * the server is not the one behind `socket`.
 */
export function optionsQuery(config: WpConfig, socket: string): OptionsQuery | NotQueried {
  const found = accountIn(config, socket)
  if (typeof found === 'string') return found
  return { ...found.account, ...statementFor(config, found) }
}

/** The options that decide what WordPress runs, and at which address. */
const VERSIONED = [...OPTIONS, 'siteurl', 'home']

/**
 * Returns the query for one row of the tables that every page needs: a missing or damaged one is an
 * error. The last row is a digest of the options that decide what WordPress runs.
 */
export function healthQuery(config: WpConfig, socket: string): OptionsQuery | NotQueried {
  const found = accountIn(config, socket)
  if (typeof found === 'string') return found
  const { account, name, prefix } = found
  const one = '(SELECT 1 AS value FROM ??.?? LIMIT 1)'
  const digest = `(SELECT MD5(GROUP_CONCAT(MD5(LEFT(option_value, ${MAX_BYTES})) ORDER BY option_name))
    FROM ??.?? WHERE option_name IN (${marks(VERSIONED)}))`
  const [options, posts] = [`${prefix}options`, `${prefix}posts`]
  return {
    ...account,
    sql: `${LIMITS} ${one} UNION ALL ${one} UNION ALL ${digest}`,
    values: [name, options, name, posts, name, options, ...VERSIONED],
  }
}

/** Returns the digest that a health query has read; empty without one. */
export function optionsVersion(rows: readonly Record<string, unknown>[]): string {
  return /^[0-9a-f]{32}$/.exec(String(rows.at(-1)?.value ?? ''))?.[0] ?? ''
}

interface DatabaseAccount {
  account: { user: string; password: string }
  name: string
  prefix: string
  /** True when the site connects by TCP: the server has to confirm that it is this one. */
  tcp: boolean
}

function accountIn(
  { constants, table_prefix, unsure }: WpConfig,
  socket: string,
): DatabaseAccount | NotQueried {
  // Of the uncertain values, only folders do not affect the database.
  const known = [...unsure].every((setting) => /^WP_.*_DIR$/.test(setting))
  const place = known ? placeIn(constants.get('DB_HOST'), socket) : undefined
  const [name, user, password] = ['DB_NAME', 'DB_USER', 'DB_PASSWORD'].map((key) =>
    textOf(constants.get(key)),
  )
  if (place === 'elsewhere') return place
  if (name === undefined || user === undefined || password === undefined) return 'incomplete'
  if (!place || !table_prefix || !/^\w+$/.test(table_prefix)) return 'incomplete'
  return { account: { user, password }, name, prefix: table_prefix, tcp: place === 'tcp' }
}

/** Converts a value as WordPress' driver does: a number to text. */
function textOf(value: string | number | boolean | undefined): string | undefined {
  return typeof value === 'number' ? String(value) : typeof value === 'string' ? value : undefined
}

function statementFor(config: WpConfig, { name, prefix, tcp }: DatabaseAccount) {
  const { constants } = config
  const multisite = isMultisite(constants)
  const options = multisite ? OPTIONS : [...OPTIONS, ...NETWORK]
  const selected = selecting(constants.get('DB_CHARSET'))
  const parts = [selected('option_name', 'option_value', `option_name IN (${marks(options)})`)]
  const values = [name, `${prefix}${blogOf(constants)}options`, ...options]
  if (multisite) {
    parts.push(
      selected('meta_key', 'meta_value', `site_id = ? AND meta_key IN (${marks(NETWORK)})`),
    )
    const site = String(Number(constants.get('SITE_ID_CURRENT_SITE') ?? 1))
    values.push(name, `${prefix}sitemeta`, site, ...NETWORK)
  }
  if (tcp) parts.push(LISTENS)
  return { sql: `${LIMITS} ${parts.join(' UNION ALL ')} LIMIT ${MAX_ROWS}`, values, tcp }
}

/** Returns is_multisite(): true for any value that PHP treats as true. */
function isMultisite(constants: WpConfig['constants']): boolean {
  const value = constants.get('MULTISITE')
  if (value !== undefined) return ![false, 0, '', '0'].includes(value)
  return ['SUBDOMAIN_INSTALL', 'VHOST', 'SUNRISE'].some((name) => constants.has(name))
}

/** Returns the number of the main site, whose tables have the bare prefix only if it is 1. */
function blogOf(constants: WpConfig['constants']): string {
  const blog = Number(isMultisite(constants) ? (constants.get('BLOG_ID_CURRENT_SITE') ?? 1) : 1)
  return Number.isInteger(blog) && blog > 1 ? `${blog}_` : ''
}

/**
 * Selects LEFT as well as LENGTH: a view can return different values for two reads. With a
 * character set other than Unicode, it selects the bytes that WordPress gets, which it counts when
 * it serialises.
 */
function selecting(charset: string | number | boolean | undefined) {
  const foreign = /^(?!utf8)\w{1,32}$/i.exec(String(charset ?? ''))?.[0]
  return (name: string, value: string, where: string) => {
    const left = `LEFT(${value}, ${MAX_BYTES})`
    const bytes = foreign ? `CAST(CONVERT(${left} USING ${foreign}) AS BINARY)` : left
    const columns = `LEFT(${name}, 64) AS name, ${bytes} AS value`
    return `SELECT ${columns} FROM ??.?? WHERE ${where} AND LENGTH(${value}) <= ${MAX_BYTES}`
  }
}

const marks = (names: readonly string[]) => names.map(() => '?').join(', ')

const LISTENS = "SELECT '@listens', CONCAT_WS(' ', @@skip_networking, @@port, @@bind_address)"

/** Returns whether the server that answered is the one that TCP reaches on this machine. */
export function isReachedByTcp(rows: readonly Record<string, unknown>[]): boolean {
  const [networking, port, ...addresses] = String(
    rows.find(({ name }) => String(name) === '@listens')?.value ?? '',
  ).split(/[ ,]+/)
  const all = addresses.length === 0 || addresses.includes('')
  const here = addresses.some((address) =>
    /^(?:\*|0\.0\.0\.0|127\.0\.0\.1|::1?|localhost)$/.test(address),
  )
  return /^(?:0|OFF)$/.test(networking ?? '') && port === '3306' && (all || here)
}

/** Parses DB_HOST: `host`, `host:port` or `localhost:/path/of/socket` (wpdb::parse_db_host). */
function placeIn(host: unknown, socket: string): 'socket' | 'tcp' | 'elsewhere' {
  if (host === undefined) return 'socket'
  const match = /^(localhost|127\.0\.0\.1|::1|\[::1\])?(?::(3306|\/.*))?$/.exec(String(host))
  if (!match) return 'elsewhere'
  const [, name = 'localhost', end = ''] = match
  if (end.startsWith('/')) {
    return end.replace(/^\/var\/run\//, '/run/') === socket ? 'socket' : 'elsewhere'
  }
  return name === 'localhost' ? 'socket' : 'tcp'
}

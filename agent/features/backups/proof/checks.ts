import { z } from 'zod'
import { RESTORE_OPTIONS } from '#agent/features/backups/fetch.ts'
import { withLargerQuota } from '#agent/features/backups/larger-quota.ts'
import { DUMP, type Manifest, userIn } from '#agent/features/backups/manifest.ts'
import { dumpIn, fetchedOf } from '#agent/features/backups/paths.ts'
import { ProgressLines } from '#agent/features/backups/restic/progress.ts'
import { type OpenRepository, runRestic, streamRestic } from '#agent/features/backups/restic/run.ts'
import { sanitizeFiles, UnsafeFiles } from '#agent/features/backups/sanitize-files.ts'
import { SITE } from '#agent/features/backups/save.ts'
import { phpValues } from '#agent/features/php/fpm-files.ts'
import { reserveAccount } from '#agent/kernel/database/account.ts'
import { databaseSize, streamDatabase, timeFor } from '#agent/kernel/database/dump.ts'
import { importDatabase } from '#agent/kernel/database/import.ts'
import { createEmptyDatabase } from '#agent/kernel/database/mariadb.ts'
import { DATABASES } from '#agent/kernel/database/space-watch.ts'
import type { Host, RunOptions } from '#agent/kernel/host/ports.ts'
import { sizeOf } from '#agent/kernel/host/report-progress.ts'
import { isDiskFull } from '#agent/kernel/host/storage.ts'
import { asSite } from '#agent/kernel/sandbox/run.ts'
import { docrootOf, homeOf } from '#agent/kernel/site/paths.ts'
import type { Site } from '#agent/kernel/site/sites.ts'
import { machineOf, tierLimitsOn } from '#agent/kernel/site/tiers.ts'
import type { Progress } from '#agent/kernel/steps/command.ts'
import * as users from '#agent/kernel/users/users.ts'
import type { Tier } from '#shared/kernel/fields.ts'
import { checkCore } from './core-files.ts'
import type { Findings } from './report.ts'
import { constantsOf, type HiddenSite, NO_MAIL, tryAsHiddenSite } from './run-as-hidden-site.ts'
import { startsWordPress } from './wordpress.ts'

export interface RestoredBackup {
  copy: Site
  manifest: Manifest
  findings: Findings
}

export async function* checkFiles(
  host: Host,
  opened: OpenRepository,
  { copy, manifest, findings }: RestoredBackup,
): Progress<void> {
  const restored = () => restoreFiles(host, opened, copy.user, manifest)
  try {
    yield* withLargerQuota(host, copy, manifest, restored)
  } catch (error) {
    if (!(error instanceof UnsafeFiles)) throw error
    return findings.end('damaged', error.message)
  }
  const { count, bytes } = await countFiles(host, copy.user)
  findings.files = count
  findings.bytes += bytes
  const { files } = manifest
  if (count === files.count && bytes === files.bytes) return
  const saved = `${files.count} files with ${files.bytes} bytes`
  findings.add('files_differ', `${saved} were saved, and ${count} with ${bytes} were restored`)
}

export async function* checkDump(
  host: Host,
  opened: OpenRepository,
  { copy, manifest, findings }: RestoredBackup,
): Progress<void> {
  if (!manifest.database) return
  yield `Fetching the database: ${sizeOf(manifest.database.bytes)}`
  if (await fetchDump(host, opened, copy.user, manifest.database)) {
    findings.bytes += manifest.database.bytes
    return
  }
  findings.end('dump_damaged', 'The dump of the database is not the one that was saved')
}

export async function checkDatabase(
  host: Host,
  { copy: { user }, manifest: { database }, findings }: RestoredBackup,
): Promise<void> {
  if (!database) return
  const refusal = await loadDump(host, user, database)
  if (refusal !== undefined) return findings.end('database_refused', refusal)
  const { tables, rows, differing } = await compareDatabase(host, user)
  findings.tables = tables
  findings.rows = rows
  if (differing > 0) {
    const message = `${differing} of ${tables + differing} tables differ from the dump`
    findings.add('database_differs', message)
  } else if (tables !== database.tables) {
    const message = `${database.tables} tables were saved, and ${tables} were restored`
    findings.add('database_differs', message)
  }
}

/** Returns the copy as its programs see it, with the paths of the original. */
const hiddenOf = ({ copy: { user, php }, manifest }: RestoredBackup): HiddenSite => ({
  user,
  php,
  original: userIn(manifest),
})

export async function checkBoot(host: Host, restored: RestoredBackup): Promise<void> {
  if (await startsWordPress(host, hiddenOf(restored))) return
  restored.findings.add('does_not_boot', 'WordPress does not start with its plugins and theme')
}

export async function checkPages(host: Host, restored: RestoredBackup): Promise<void> {
  const { copy, manifest, findings } = restored
  const visit = { domain: manifest.domain, tier: copy.tier }
  const answers = await requestPages(host, hiddenOf(restored), visit)
  findings.pages = answers.map(({ path, status }) => ({ path, status }))
  for (const { path, status, complete } of answers) {
    if (status === 0) findings.add('page_fails', `${path} has no answer`)
    else if (status >= 500) findings.add('page_fails', `${path} is answered with ${status}`)
    else if (!complete) findings.add('page_fails', `${path} is cut off before its end`)
  }
}

export async function compareCore(host: Host, restored: RestoredBackup): Promise<void> {
  const { findings } = restored
  const { core, core_list, differing } = await checkCore(host, hiddenOf(restored))
  findings.core = core
  findings.core_list = core_list
  if (differing === 0) return
  findings.add('core_differs', `${differing} files of WordPress are not the published ones`)
}

const LIMIT_MS = 5 * 60_000

/** The front page, the login page, and a feed. */
const PATHS = ['/', '/wp-login.php', '/feed/']

/** `complete` is true for a redirect, an answer without content, and one that has its end. */
const PageAnswers = z.array(
  z.object({ path: z.string(), status: z.int().min(0).max(999), complete: z.boolean() }),
)
type PageAnswers = z.infer<typeof PageAnswers>

/**
 * Requests pages from the PHP-FPM of the hidden site, as a visitor of the original would by https.
 * The program `hosting-agent pages` starts it and ends it: nothing else can reach it.
 */
async function requestPages(
  host: Host,
  hidden: HiddenSite,
  { domain, tier }: { domain: string; tier: Tier },
): Promise<PageAnswers> {
  const { program } = host.settings
  const home = homeOf(hidden.original)
  const limits = tierLimitsOn(tier, await machineOf(host))
  const request = {
    program: `/usr/sbin/php-fpm${hidden.php}`,
    values: [...phpValues(home, limits), `php_admin_value[sendmail_path] = "${NO_MAIL}"`],
    prepend: `<?php ${constantsOf(hidden)}`,
    docroot: docrootOf(hidden.original),
    host: domain,
    paths: PATHS,
  }
  const { code, stdout } = await tryAsHiddenSite(host, hidden, [...program, 'pages'], {
    input: JSON.stringify(request),
    own_program: program,
    timeout_ms: LIMIT_MS,
  })
  if (code !== 0) return PATHS.map((path) => ({ path, status: 0, complete: false }))
  return PageAnswers.parse(JSON.parse(stdout.trim().split('\n').at(-1) ?? ''))
}

const DAY_MS = 24 * 60 * 60_000
const HOUR_MS = 60 * 60_000
const TARGET = '/restore'

/**
 * The public folder of a backup becomes that of the hidden site. Meanwhile nobody else can enter its
 * home. Throws conflict for files that no site can have.
 */
async function* restoreFiles(
  host: Host,
  opened: OpenRepository,
  user: string,
  { files }: Manifest,
): Progress<void> {
  yield `Restoring ${files.count} files: ${sizeOf(files.bytes)}`
  const home = homeOf(user)
  await host.files.mkdir(home, { mode: 0o700 })
  const lines = new ProgressLines(() => host.clock.elapsed())
  const only = ['--include', '/public']
  const args = [
    'restore',
    `${files.snapshot}:${SITE}`,
    ...RESTORE_OPTIONS,
    '--target',
    TARGET,
    ...only,
  ]
  const writes = { path: home, as: TARGET }
  for await (const line of streamRestic(host, opened, args, { writes, timeout_ms: DAY_MS })) {
    const readable = lines.read(line)
    if (readable !== undefined) yield readable
  }
  yield* await sanitizeFiles(host, user, docrootOf(user))
  await users.createFolders(host, user).apply()
}

const FileCount = z.tuple([z.coerce.number(), z.coerce.number()])

/** Counts all files, which may be millions, and their bytes. */
async function countFiles(host: Host, user: string): Promise<{ count: number; bytes: number }> {
  const find = ['find', homeOf(user), '-type', 'f', '-printf', '%s\\n']
  const sum = ['awk', '{ n++; s += $1 } END { printf "%.0f %.0f\\n", n, s }']
  const input_from = { argv: find, options: { timeout_ms: HOUR_MS } }
  const { stdout } = await host.shell.run(sum, { input_from, timeout_ms: HOUR_MS })
  const [count, bytes] = FileCount.parse(stdout.trim().split(' '))
  return { count, bytes }
}

type Database = NonNullable<Manifest['database']>

/** Fetches the dump to a file of root. Returns whether it is the one that was saved. */
async function fetchDump(
  host: Host,
  opened: OpenRepository,
  user: string,
  { snapshot, sha256, bytes }: Database,
): Promise<boolean> {
  const path = dumpIn(fetchedOf(user))
  const timeout_ms = timeFor(bytes)
  const args = ['dump', snapshot, `/${DUMP}`]
  await runRestic(host, opened, args, { output_file: path, timeout_ms })
  const { stdout } = await host.shell.run(['sha256sum', '--', path], { timeout_ms })
  return stdout.startsWith(sha256)
}

/** Imports the dump. Returns why MariaDB refuses it. Throws if the disk has become full. */
async function loadDump(
  host: Host,
  user: string,
  { character_set, collation, bytes }: Database,
): Promise<string | undefined> {
  await createEmptyDatabase(host, user, { character_set, collation })
  await reserveAccount(host, user)
  try {
    await importDatabase(host, user, dumpIn(fetchedOf(user)), 'leave_some')
  } catch (error) {
    const { free } = await host.files.space(DATABASES)
    if (!(error instanceof Error) || isDiskFull(error) || free < bytes) throw error
    return error.message
  }
  return undefined
}

const Digests = z.object({
  tables: z.array(z.object({ table: z.string(), rows: z.int(), sha256: z.string() })),
})
type Digests = z.infer<typeof Digests>['tables']

/** Compares the tables of the dump and of the loaded database by the digests of their rows. */
async function compareDatabase(
  host: Host,
  user: string,
): Promise<{ tables: number; rows: number; differing: number }> {
  const path = dumpIn(fetchedOf(user))
  const bytes = (await host.files.stat(path))?.size ?? 0
  const options = { timeout_ms: timeFor(bytes) }
  const saved = await digestsOf(host, user, { argv: ['cat', '--', path], options })
  const loaded = await loadedDigests(host, user)
  const known = new Map(loaded.map((table) => [table.table, table]))
  const same = saved.filter(({ table, rows, sha256 }) => {
    const other = known.get(table)
    return other?.rows === rows && other.sha256 === sha256
  })
  const differing = Math.max(saved.length, loaded.length) - same.length
  return { tables: same.length, rows: sum(same), differing }
}

const sum = (tables: Digests) => tables.reduce((total, { rows }) => total + rows, 0)

async function loadedDigests(host: Host, user: string): Promise<Digests> {
  let digests: Digests = []
  const size = (await databaseSize(host, user)) ?? 0
  await streamDatabase(host, user, size, async (input_from) => {
    const counted = await digestRun(host, user, input_from)
    digests = readDigests(counted.stderr)
    return counted.fed
  })
  return digests
}

const digestsOf = async (host: Host, user: string, input_from: Feeder): Promise<Digests> =>
  readDigests((await digestRun(host, user, input_from)).stderr)

type Feeder = NonNullable<RunOptions['input_from']>

const REQUEST = `${JSON.stringify({ rules: [], digest: true, output: false })}\n`

/** Runs with the rights of the hidden site: the text of a dump is not trusted. */
function digestRun(host: Host, user: string, input_from: Feeder) {
  const { program } = host.settings
  const { timeout_ms = 0 } = input_from.options
  const limits = { network: false, home: false, idle: true, timeout_ms }
  const options = { ...limits, own_program: program }
  return host.shell.run([...program, 'rewrite'], {
    ...asSite({ user }, { ...options, input: REQUEST }),
    input_from,
  })
}

/** Reads the report from the last line. */
const readDigests = (stderr: string): Digests =>
  Digests.parse(JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '')).tables

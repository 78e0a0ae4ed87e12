import type { Host } from '#agent/kernel/host/ports.ts'
import type { TenantSite } from '#agent/kernel/host/scanner-port.ts'
import { READING_MS, type Reader, readAsSite } from '#agent/kernel/sandbox/reading.ts'
import type { UnknownUpdates } from '#shared/kernel/inventory.ts'
import { PROGRAM } from './program.ts'

export type Machine = Pick<Host, 'shell' | 'files' | 'clock' | 'random' | 'privileged'>

/** The report of the site's own PHP, or the reason why it is missing. */
export type Reported = { facts: string } | { why: UnknownUpdates }

const REFUSED = 77
const MISSING = 127
/** Below it are root and the users of Debian's programs: login.defs(5), UID_MIN. */
const FIRST_UID = 1000
const NOBODY = 65534
const MAX_BYTES = 7 << 20

/** Overrides settings of ini files that run code or print errors. */
const INI = {
  memory_limit: '128M',
  max_execution_time: '5',
  display_errors: '0',
  log_errors: '0',
  auto_prepend_file: '',
  auto_append_file: '',
  open_basedir: '',
}

/**
 * Runs only the configuration of a site, with the rights of the site. `folders`: also reports its
 * plugins and themes. Never throws because of the site.
 */
export async function readConfiguration(
  host: Machine,
  site: TenantSite,
  { owner, folders }: { owner: string; folders: boolean },
): Promise<Reported> {
  const reader = await readerOf(host, site, owner)
  if (!reader) return { why: 'config_refused' }
  const word = host.random.text(32)
  const { docroot, domain = 'localhost' } = site
  const as_owner = reader.user === owner && !reader.own && site.php_user !== owner
  const input = JSON.stringify({ word, docroot, domain, as_owner, folders })
  const start = host.clock.elapsed()
  const argv = [`/usr/bin/php${site.php ?? ''}`, ...ini(), '-r', PROGRAM]
  const { code, stdout } = await readAsSite(host, reader, argv, input)
  const facts = answerIn(stdout, word)
  if (facts !== undefined) return { facts }
  if (code === MISSING) return { why: 'config_no_php' }
  if (code === REFUSED) return { why: 'config_refused' }
  const late = host.clock.elapsed() - start >= READING_MS - 500
  return { why: late ? 'config_slow' : 'config_failed' }
}

const ini = () => Object.entries(INI).flatMap(([name, value]) => ['-d', `${name}=${value}`])

/**
 * The site's own user, or the user that PHP runs it as, who runs this code anyway, or the owner of
 * the docroot, if nobody else can write its files (see PROGRAM). Never root or a system account.
 */
async function readerOf(
  { files, privileged }: Machine,
  { user, php_user, docroot }: TenantSite,
  owner: string,
): Promise<Reader | undefined> {
  if (!privileged) return undefined
  const name = user ?? (php_user || owner)
  const passwd = (await files.read('/etc/passwd')) ?? ''
  const fields = passwd.split('\n').map((line) => line.split(':'))
  const uid = Number(fields.find(([known]) => known === name)?.[2] ?? 0)
  const ordinary = name === 'www-data' ? uid > 0 : uid >= FIRST_UID && uid !== NOBODY
  return ordinary ? { user: name, own: user !== undefined, docroot } : undefined
}

/** The line with the random word: the program ends after it. */
function answerIn(output: string, word: string): string | undefined {
  const start = output.lastIndexOf(`\n${word} `)
  const end = output.indexOf('\n', start + 1)
  const text = start < 0 || end < 0 ? undefined : output.slice(start + word.length + 2, end)
  return text !== undefined && text.length <= MAX_BYTES ? text : undefined
}

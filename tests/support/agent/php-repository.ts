import type { PhpSource } from '#agent/kernel/host/settings.ts'
import { done, printed } from '#agent/kernel/host/simulated/programs/output.ts'
import { packagesOf } from '#agent/kernel/packages/packages.ts'
import type { FakeHost } from '#tests/support/fake-host.ts'
import { installed } from './debian.ts'

export const KEY =
  'mDMEawQbohYJKwYBBAHaRw8BAQdAafNMsjLGm4F86BFNQrrZTyenuGv2LgffPtWqPB2MOQa0GUZpcnN0IDxmaXJzdEBwaHAuZXhhbXBsZT6IkAQTFggAOBYhBIQt7ugVZXqhDkwrNbrRt6w0iEgGBQJrBBuiAhsDBQsJCAcCBhUKCQgLAgQWAgMBAh4BAheAAAoJELrRt6w0iEgGZ9kBANesezmqCVaiB/+Ylj6woAQQeBBO6Naz9mO15JSbACk7AQCL9OMz2OS+ZP5DU4jTV1CqV4sRIQvAKP+UsC3H7FVkDg=='
const FINGERPRINT = '842DEEE815657AA10E4C2B35BAD1B7AC34884806'
const SOURCE = '/etc/apt/sources.list.d/hosting-php.sources'

const armor = (key: string) =>
  `-----BEGIN PGP PUBLIC KEY BLOCK-----\n\n${key}\n-----END PGP PUBLIC KEY BLOCK-----\n`

/** The files of the repository that a server has. */
export const sourceFiles = ({ disk }: FakeHost): string[] =>
  Object.keys(disk.all)
    .filter((path) => /^\/etc\/apt\/.*hosting-php/.test(path))
    .sort()

export const setSource = ({ settings }: FakeHost, some: Partial<PhpSource>) =>
  Object.assign(settings, { php_source: { ...settings.php_source, ...some } })

/** A repository that Debian 12 can add, with its key at the address of the settings. */
export function offerSource(
  host: FakeHost,
  { fingerprint = FINGERPRINT, page = armor(KEY) } = {},
): FakeHost {
  host.disk.putText(
    '/etc/os-release',
    'ID=debian\nVERSION_ID="12"\nVERSION_CODENAME=bookworm\nPRETTY_NAME="Debian GNU/Linux 12"\n',
  )
  host.disk.putFolder('/etc/apt/sources.list.d')
  setSource(host, { fingerprint })
  host.pages.set(host.settings.php_source.key_url, page)
  return host
}

/** apt knows PHP 8.3 once it has read the lists of the repository, for as long as it has it. */
export function withApt(host: FakeHost): FakeHost {
  let hasLists = false
  const hasSource = () => hasLists && host.disk.find(SOURCE) !== undefined
  const status = '/var/lib/dpkg/status'
  host.table['apt-cache'] = () => printed(`php8.2-fpm\n${hasSource() ? 'php8.3-fpm\n' : ''}`)
  host.table['apt-get'] = (_, argv) => {
    if (argv.includes('update')) hasLists = true
    if (argv.includes('--simulate') || !argv.includes('install')) return done()
    const text = `${host.disk.text(status)}\n${installed(packagesOf('8.3'))}`
    if (!hasSource()) return { ...done(), code: 100, stderr: 'E: Unable to locate package' }
    host.disk.putText(status, text)
    host.disk.putText('/usr/sbin/php-fpm8.3', '')
    return done()
  }
  return host
}

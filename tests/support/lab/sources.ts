import { readFile } from 'node:fs/promises'
import { must } from './run.ts'
import type { Suite } from './suites.ts'

const KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg'
const FORMAT = '$(REPO_URI) $(RELEASE)'

/** Package sources of `suite` as lines of a sources.list: this machine's own, renamed. */
export async function sourcesOf(suite: Suite): Promise<string> {
  const codename = await ownCodename()
  const listed = await must([
    'apt-get',
    'indextargets',
    '--format',
    FORMAT,
    'Created-By: Packages',
    'Component: main',
  ])
  const lines = new Set<string>()
  for (const line of listed.split('\n')) {
    const [uri, release = ''] = line.trim().split(' ')
    const [name, ...pocket] = release.split('-')
    if (name !== codename || pocket.some((part) => part === 'backports')) continue
    lines.add(`deb [signed-by=${KEYRING}] ${uri} ${[suite, ...pocket].join('-')} main`)
  }
  if (lines.size === 0) throw new Error(`apt has no source for ${codename} to take ${suite} from`)
  return [...lines, ''].join('\n')
}

/** The settings of this machine's apt that a source may need: proxy, clock checks, retries. */
export async function fetchSettings(): Promise<string[]> {
  const dump = await must(['apt-config', 'dump'])
  return dump
    .split('\n')
    .filter((line) => /^Acquire::(https?::|Check-|Retries|ForceIPv4)/.test(line))
    .filter((line) => !line.endsWith(' "";'))
}

async function ownCodename(): Promise<string> {
  const release = await readFile('/etc/os-release', 'utf8')
  return /^VERSION_CODENAME=(\w+)$/m.exec(release)?.[1] ?? ''
}

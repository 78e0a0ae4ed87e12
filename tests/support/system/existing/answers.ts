import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Host } from '#tests/support/lab/index.ts'
import { run } from '#tests/support/lab/run.ts'

const PATHS = ['/', '/page.php', '/static.txt']

/** A name, and the address visitors connect to. */
type Asked = readonly [name: string, address: string]

/** More at once, and sites that share a few workers do not answer in time. */
const AT_ONCE = 16

/** The answer to each request, or how it fails: the status of curl. One curl asks them all. */
async function answersOf(host: Host, asked: readonly Asked[]): Promise<string[]> {
  const requests = asked.flatMap(([name, address]) =>
    PATHS.map((path) => [name, address, path] as const),
  )
  const folder = await mkdtemp(join(tmpdir(), 'answers-'))
  const config = requests.map(([name, address, path], at) =>
    [
      `url = "http://${address.includes(':') ? `[${address}]` : address}${path}"`,
      `header = "Host: ${name}"`,
      `output = "${folder}/${at}"`,
      `write-out = "${at} %{exitcode} %{http_code}\\n"`,
      ...['silent', 'globoff', 'max-time = 60'],
    ].join('\n'),
  )
  const ask = ['curl', '--parallel', '--parallel-max', `${AT_ONCE}`, '--config', '-']
  const argv = ['ip', 'netns', 'exec', host.netns, ...ask]
  const { stdout } = await run(argv, { input: config.join('\nnext\n') })
  const lines = stdout.split('\n').filter((line) => line !== '')
  const codes = new Map(lines.map((line) => [Number(line.split(' ')[0]), line]))
  const answers = requests.map(async ([name, address, path], at) => {
    const [, exit, status] = codes.get(at)?.split(' ') ?? []
    const body = await readFile(join(folder, `${at}`), 'utf8').catch(() => '')
    return `${name} at ${address}${path}: ${exit === '0' ? `${body} ${status}` : `curl ${exit}`}`
  })
  return Promise.all(answers).finally(() => rm(folder, { recursive: true }))
}

/** Start times of services: a restarted one drops its work. */
async function servicesOf(host: Host, units: readonly string[]): Promise<string[]> {
  const properties = '--property=Id,ActiveState,UnitFileState,MainPID'
  const text = await host.must(['systemctl', 'show', properties, ...units])
  return text
    .trim()
    .split(/\n\n+/)
    .map((block) => block.replaceAll('\n', ' '))
}

/** All files below /etc of the administrator and of packages, without this agent's. */
async function filesOf(host: Host): Promise<string[]> {
  const folders = ['nginx', 'apache2', 'php', 'mysql', 'systemd/system', 'apt', 'cron.d', 'default']
  const find = ['find', ...folders.map((name) => `/etc/${name}`)]
  const files = await host.must([...find, '-type', 'f', '-exec', 'sha256sum', '{}', '+'])
  const links = await host.must([...find, '-type', 'l', '-printf', '%p -> %l\\n'])
  return `${files}${links}`
    .split('\n')
    .filter((line) => line !== '' && !/hosting/.test(line))
    .sort()
}

export interface Watched {
  asked: readonly Asked[]
  units: readonly string[]
  /** Other answers there, one line each. */
  more?: (host: Host) => Promise<string[]>
}

export interface Seen {
  answers: string[]
  services: string[]
  files: string[]
}

export async function see(host: Host, { asked, units, more }: Watched): Promise<Seen> {
  const [answers, others, services, files] = await Promise.all([
    answersOf(host, asked),
    more?.(host) ?? [],
    servicesOf(host, units),
    filesOf(host),
  ])
  return { answers: [...answers, ...others], services, files }
}

/** Lines in only one of them. */
export function differences(before: Seen, after: Seen): string[] {
  return (['answers', 'services', 'files'] as const).flatMap((kind) => {
    const [old, now] = [new Set(before[kind]), new Set(after[kind])]
    return [
      ...[...old].filter((line) => !now.has(line)).map((line) => `- ${line}`),
      ...[...now].filter((line) => !old.has(line)).map((line) => `+ ${line}`),
    ]
  })
}

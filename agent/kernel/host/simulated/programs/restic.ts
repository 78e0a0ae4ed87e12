import { createHash } from 'node:crypto'
import type { Output, RunOptions } from '#agent/kernel/host/ports.ts'
import type { Disk } from '#agent/kernel/host/simulated/disk.ts'
import type { Node } from '#agent/kernel/host/simulated/nodes.ts'
import { done, failed, lastOf, printed } from './output.ts'

type DiskMachine = { disk: Disk }
interface ResticCommand {
  disk: Disk
  words: readonly string[]
  options: RunOptions
  /** The folder of the repository; a remote one has a folder too. */
  path: string
}
type RunCommand = (call: ResticCommand) => Output

/** Runs restic(1): a repository is a folder with password, keys, and a copy per snapshot. */
export function restic(
  { disk }: DiskMachine,
  argv: readonly string[],
  options: RunOptions,
): Output {
  const words = argv
    .slice(1)
    .filter((word) => !/^(-o|--retry-lock=.*|--no-cache|sftp\.args=.*)$/.test(word))
  const files = mounted(options, '/run/backup') ?? ''
  const address = disk.text(`${files}/repository`)?.trim() ?? ''
  const path = address.startsWith('/') ? address : `/remote/${address.replace(/\W+/g, '-')}`
  const call = { disk, words, options, path }
  const act = COMMANDS[words.slice(0, 2).join(' ')] ?? COMMANDS[words[0] ?? '']
  if (!act) return failed(`restic: unknown command ${words[0]}`)
  const password = disk.text(`${files}/password`)
  const known = disk.text(`${path}/config`)
  if (words[0] === 'init') {
    if (disk.find(`${path}/keys`)) return failed('Fatal: repository already contains keys')
    disk.putText(`${path}/config`, password ?? '')
    return done()
  }
  if (known === undefined) return failed('Fatal: repository does not exist', 10)
  return known === password ? act(call) : failed('Fatal: wrong password or no key found', 12)
}

const COMMANDS: Record<string, RunCommand> = {
  init: () => done(),
  'cat config': () => printed('{}'),
  'cat snapshot': ({ disk, path, words }) =>
    disk.find(`${path}/snapshots/${words[2]}`)
      ? printed('{}')
      : failed('Fatal: no matching ID found'),
  'key list': ({ disk, path }) => printed(disk.text(`${path}/keys`) ?? '[]'),
  'key add': addKey,
  backup,
  snapshots,
  dump,
  restore,
  ls,
  forget: ({ disk, path, words }) => {
    disk.drop(`${path}/snapshots/${words[1]}`)
    return done()
  },
}

function addKey({ disk, path, words }: ResticCommand): Output {
  const keys: unknown[] = JSON.parse(disk.text(`${path}/keys`) ?? '[]')
  const [userName, hostName] = [after(words, '--user'), after(words, '--host')]
  disk.putText(`${path}/keys`, JSON.stringify([...keys, { userName, hostName }]))
  return done()
}

function backup(call: ResticCommand): Output {
  const { disk, path, words, options } = call
  const count = entriesOf(disk, `${path}/snapshots`).length
  const id = createHash('sha256').update(`${path} ${count}`).digest('hex')
  const target = `${path}/snapshots/${id}`
  disk.putFolder(target)
  const time = new Date(Date.UTC(2026, 0, 1) + 1000 * count).toISOString()
  const tags = words.flatMap((word, at) => (word === '--tag' ? [words[at + 1]] : []))
  disk.putText(`${path}/listed/${id}`, JSON.stringify({ id, time, tags }))
  const name = after(words, '--stdin-filename')
  if (name !== undefined) disk.putText(`${target}/${name}`, options.input ?? '')
  else {
    const source = mounted(options, lastOf(words)) ?? ''
    const text = disk.text(source)
    if (text !== undefined) disk.putText(`${target}${lastOf(words)}`, text)
    for (const [entry, node] of entriesOf(disk, source))
      disk.put(`${target}/${entry}`, copyOf(node))
  }
  const counts = { total_files_processed: 1, total_bytes_processed: 1000, data_added: 100 }
  const size = { ...counts, ...changesSince(call) }
  return printed(`${JSON.stringify({ message_type: 'summary', snapshot_id: id, ...size })}\n`)
}

/** Counts differences from the named parent. */
function changesSince({ disk, path, words, options }: ResticCommand) {
  const parent = words.find((word) => word.startsWith('--parent='))?.slice('--parent='.length)
  if (parent === undefined) return {}
  const [saved, source] = [`${path}/snapshots/${parent}`, mounted(options, lastOf(words)) ?? '']
  const isSame = textOf(disk, saved) === textOf(disk, source)
  return { files_new: 0, files_changed: isSame ? 0 : 1, dirs_new: 0, dirs_changed: 0 }
}

/** Returns all content of a folder as text. */
const textOf = (disk: Disk, path: string): string =>
  JSON.stringify(
    entriesOf(disk, path).map(([name, node]) => [name, copyOf(node)]),
    (_, value) => (value instanceof Map ? [...value] : value),
  )

/** `snapshots --json [--tag <tag>]` */
function snapshots({ disk, path, words }: ResticCommand): Output {
  const tag = after(words, '--tag')
  const listed = entriesOf(disk, `${path}/snapshots`).flatMap(([id]) => {
    const text = disk.text(`${path}/listed/${id}`)
    return text === undefined ? [] : [JSON.parse(text)]
  })
  return printed(JSON.stringify(listed.filter(({ tags }) => !tag || tags.includes(tag))))
}

/** `dump [--archive tar] <snapshot>[:<folder>] /<name>`: a folder is the list of its names. */
function dump({ disk, path, words, options }: ResticCommand): Output {
  const [id = '', name = ''] = words.slice(-2)
  const at = `${path}/snapshots/${id.split(':')[0]}${name}`
  const names = entriesOf(disk, at).map(([one]) => one)
  const text = words.includes('--archive') ? names.join() : disk.text(at)
  if (text === undefined) return failed(`Fatal: cannot dump file ${name}`)
  if (options.output_file === undefined) return printed(text)
  disk.putText(options.output_file, text, { mode: 0o600 })
  return done()
}

/** `restore <snapshot>:<folder> … [--dry-run] --target <folder> --include /<name> …` */
function restore({ disk, path, words, options }: ResticCommand): Output {
  const [snapshot = ''] = words[1]?.split(':') ?? []
  const names = words.flatMap((word, at) => (word === '--include' ? [words[at + 1] ?? ''] : []))
  if (words.includes('--dry-run')) {
    return printed(`${JSON.stringify({ message_type: 'summary', total_bytes: 1000 })}\n`)
  }
  const target = mounted(options, after(words, '--target') ?? '')
  if (!disk.find(`${path}/snapshots/${snapshot}`) || target === undefined)
    return failed('Fatal: failed to find snapshot')
  for (const name of names.map((pattern) => pattern.replace(/\\(.)/g, '$1'))) {
    const source = disk.find(`${path}/snapshots/${snapshot}${name}`)
    if (source) disk.put(`${target}${name}`, copyOf(source))
  }
  return done()
}

/** `ls --json [--recursive] <snapshot>:<folder> /<path>`, depth first */
function ls({ disk, path, words }: ResticCommand): Output {
  const is_recursive = words.includes('--recursive')
  const [from = '', name = ''] = words.filter((word) => !word.startsWith('--')).slice(1)
  const [snapshot = ''] = from.split(':')
  const root = `${path}/snapshots/${snapshot}`
  const node = disk.find(`${root}${name}`)
  if (!node) return done()
  const below = (folder: string, depth: number): [string, Node][] =>
    entriesOf(disk, `${root}${folder}`).flatMap(([one, at]): [string, Node][] => [
      [`${folder}/${one}`, at],
      ...(depth > 1 ? below(`${folder}/${one}`, depth - 1) : []),
    ])
  const all: [string, Node][] = [[name, node], ...below(name, is_recursive ? 256 : 1)]
  return printed(all.map(([one, at]) => `${JSON.stringify(nodeOf(one, at))}\n`).join(''))
}

const nodeOf = (path: string, { kind }: Node) => ({
  message_type: 'node',
  name: path.slice(path.lastIndexOf('/') + 1),
  path,
  type: { file: 'file', directory: 'dir', link: 'symlink' }[kind],
  mtime: '2026-01-01T00:00:00Z',
})

function entriesOf(disk: Disk, path: string): [string, Node][] {
  const node = disk.find(path)
  return node?.kind === 'directory' ? [...node.entries] : []
}

/** Returns a copy that is independent of the original. */
function copyOf(node: Node): Node {
  if (node.kind !== 'directory') return { ...node }
  const { shared: _, ...own } = node
  return { ...own, entries: new Map([...node.entries].map(([name, at]) => [name, copyOf(at)])) }
}

const after = (words: readonly string[], option: string): string | undefined => {
  const at = words.indexOf(option)
  return at < 0 ? undefined : words[at + 1]
}

/** Returns the folder of the machine that a sandbox shows at a path. */
export function mounted({ site }: RunOptions, at: string): string | undefined {
  const mounts = site?.directives.filter((line) => /^Bind(ReadOnly)?Paths=/.test(line)) ?? []
  const pairs = mounts.flatMap((line) => line.slice(line.indexOf('=') + 1).split(' '))
  return pairs.find((pair) => pair.endsWith(`:${at}`))?.slice(0, -at.length - 1)
}

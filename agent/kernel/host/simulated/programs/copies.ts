import type { Output, RunOptions } from '#agent/kernel/host/ports.ts'
import type { Disk } from '#agent/kernel/host/simulated/disk.ts'
import { done, failed, lastOf, printed } from './output.ts'
import { mounted } from './restic.ts'

type DiskMachine = { disk: Disk }

/** Runs tar(1) to and from a pipe: the path of the folder that it reads stands for the archive. */
export function tar({ disk }: DiskMachine, argv: readonly string[], options: RunOptions): Output {
  const word = argv.find((word) => word.startsWith('--directory='))
  const folder = word?.slice('--directory='.length) ?? ''
  if (argv.includes('--create')) {
    return printed(`${mounted(options, folder) ?? folder}/${lastOf(argv)}\n`)
  }
  const source = disk.find((options.input ?? '').trim())
  if (source?.kind !== 'directory') return failed('tar: This does not look like a tar archive', 2)
  for (const [name, node] of source.entries) disk.copy(node, `${folder}/${name}`)
  return done()
}

/** Runs `hosting-agent rewrite`, which changes no dump, and `hosting-agent storage`. */
export function ownAgent(
  on: DiskMachine,
  argv: readonly string[],
  { input = '' }: RunOptions,
): Output {
  if (argv[1] === 'storage') return storage(on, input)
  if (argv[1] !== 'rewrite') return done()
  const dump = input.slice(input.indexOf('\n') + 1)
  return { ...printed(dump), stderr: `${JSON.stringify({ replaced: 0, left: [] })}\n` }
}

interface RepositoryKey {
  userName: string
  hostName: string
}

/** Runs `hosting-agent storage` on a local folder: each repository has its keys in one file. */
function storage({ disk }: { disk: Disk }, input: string): Output {
  const { target, repositories: named, after, most, containing } = JSON.parse(input)
  const folder = target.place.kind === 'local' ? disk.find(target.place.path) : undefined
  const entries = folder?.kind === 'directory' ? [...folder.entries.keys()] : undefined
  const names: string[] = (named ?? entries ?? []).filter((name: string) => name > after).sort()
  const keysOf = (name: string): RepositoryKey[] =>
    JSON.parse(disk.text(`${target.place.path}/${name}/keys`) ?? '[]')
  const repositories = names.slice(0, most).map((name) => ({
    name,
    texts: keysOf(name)
      .map(textOf)
      .filter((text) => text.includes(containing)),
  }))
  const is_listed = !named && entries !== undefined
  return printed(JSON.stringify({ is_listed, repositories, next: null }))
}

const textOf = ({ userName, hostName }: RepositoryKey) =>
  JSON.stringify({ username: userName, hostname: hostName })

import type { Output } from '#agent/kernel/host/ports.ts'
import type { Disk } from '#agent/kernel/host/simulated/disk.ts'
import { printed } from './output.ts'

interface Key {
  userName: string
  hostName: string
}

/** `hosting-agent storage` on a local folder: each repository has its keys in one file. */
export function storage({ disk }: { disk: Disk }, input: string): Output {
  const { target, repositories: named, after, most, containing } = JSON.parse(input)
  const folder = target.place.kind === 'local' ? disk.find(target.place.path) : undefined
  const entries = folder?.kind === 'directory' ? [...folder.entries.keys()] : undefined
  const names: string[] = (named ?? entries ?? []).filter((name: string) => name > after).sort()
  const keysOf = (name: string): Key[] =>
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

const textOf = ({ userName, hostName }: Key) =>
  JSON.stringify({ username: userName, hostname: hostName })

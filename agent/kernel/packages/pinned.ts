import type { Change } from '#agent/kernel/effects/change.ts'
import * as effects from '#agent/kernel/effects/effects.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import type { Step } from '#agent/kernel/steps/command.ts'

/** A program of root that no package of the server has: downloaded once, with a known digest. */
export interface PinnedProgram {
  name: string
  /** The path of the program; the digest that it was installed with stands beside it. */
  path: string
  mode: '0644' | '0755'
  /** The addresses, which are tried in this order. */
  urls: readonly string[]
  kind: 'sha256' | 'sha512'
  digest: string
  /** The file name of a copy that root may put into the cache of the agent. */
  copy: string
  /** Turns the download at `draft`, which has the digest, into the program. */
  unpack?: (draft: string) => Promise<void>
  /** The arguments of a call that succeeds if the program runs on this server. */
  proof?: readonly string[]
}

/** Returns the step that installs the program; none if it is installed. */
export async function pinnedSteps(host: Host, pinned: PinnedProgram): Promise<Step[]> {
  if (await isInstalled(host, pinned)) return []
  const { name } = pinned
  return [{ name, title: `Downloading ${name}`, ...provided(host, pinned) }]
}

const noteOf = ({ path, kind }: PinnedProgram) => `${path}.${kind}`
const folderOf = ({ path }: PinnedProgram) => path.slice(0, path.lastIndexOf('/'))

async function isInstalled({ files }: Host, pinned: PinnedProgram): Promise<boolean> {
  const note = await files.read(noteOf(pinned))
  return note === pinned.digest && (await files.stat(pinned.path)) !== undefined
}

const provided = (host: Host, pinned: PinnedProgram): Change => ({
  async effects() {
    const note = noteOf(pinned)
    return [
      effects.run('download', pinned.urls[0] ?? ''),
      ...(await effects.creationsOf(host, 'folder', folderOf(pinned))),
      await effects.replacementOf(host, pinned.path),
      ...effects.writeOf(note, await host.files.read(note), pinned.digest),
    ]
  },
  apply: () => host.exclusive(pinned.name, () => installPinned(host, pinned)),
})

/** Installs the program, unless another operation has installed it meanwhile. */
async function installPinned(host: Host, pinned: PinnedProgram): Promise<void> {
  if (await isInstalled(host, pinned)) return
  const kept = `${host.settings.state_dir}/cache/${pinned.copy}`
  const problems: string[] = []
  const copy = (await host.files.stat(kept)) ? [`file://${kept}`] : []
  for (const url of [...copy, ...pinned.urls]) {
    const problem = await tryFrom(host, pinned, url)
    if (problem === undefined) return
    problems.push(problem)
  }
  const reasons = problems.join('; ')
  throw new Error(`${pinned.name} is not available (${reasons}): put a copy at ${kept}`)
}

async function tryFrom(
  host: Host,
  pinned: PinnedProgram,
  url: string,
): Promise<string | undefined> {
  const { path, mode, kind, digest, unpack, proof } = pinned
  const draft = `${folderOf(pinned)}/.${path.slice(path.lastIndexOf('/') + 1)}`
  try {
    await host.files.mkdir(folderOf(pinned), { mode: 0o755 })
    const came = await host.net.download(url, draft, kind)
    if (came !== digest) throw new Error(`${url} is not the expected file`)
    await unpack?.(draft)
    await host.shell.run(['chmod', mode, draft])
    if (proof) await host.shell.run([draft, ...proof], { unconfined: true })
    await host.files.rename(draft, path)
    await host.files.write(noteOf(pinned), digest)
    return undefined
  } catch (error) {
    await host.files.remove(draft)
    return error instanceof Error ? error.message : String(error)
  }
}

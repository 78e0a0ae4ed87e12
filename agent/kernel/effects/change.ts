import type { Host, WriteOptions } from '#agent/kernel/host/ports.ts'
import type { Step } from '#agent/kernel/steps/command.ts'
import type { Effect } from '#shared/kernel/plan.ts'
import { create, creationsOf, removalsOf, remove, writeOf, writesOf } from './effects.ts'
import { type GeneratedFile, removeGenerated, replaceGenerated } from './generated.ts'

/** An operation and its plan in one value: `effects` are the present effects of `apply`. */
export interface Change {
  effects(): Promise<Effect[]>
  apply(): Promise<void>
}

export const inOrder = (...changes: readonly Change[]): Change => ({
  effects: async () => (await Promise.all(changes.map((change) => change.effects()))).flat(),
  async apply() {
    for (const change of changes) await change.apply()
  },
})

/** Returns a change with known effects. */
export const declared = (effects: Effect[], apply: () => Promise<unknown>): Change => ({
  effects: async () => effects,
  apply: async () => void (await apply()),
})

/** Returns a change without an effect unless the condition holds at the time of the call. */
export const provided = (condition: () => Promise<unknown>, change: Change): Change => ({
  effects: async () => ((await condition()) ? change.effects() : []),
  async apply() {
    if (await condition()) await change.apply()
  },
})

/** Returns a change that depends on data that is read just before it. */
export const deferred = (make: () => Promise<Change>): Change => ({
  effects: async () => (await make()).effects(),
  apply: async () => (await make()).apply(),
})

export const generated = (host: Host, files: readonly GeneratedFile[]): Change => ({
  effects: () => writesOf(host, files),
  async apply() {
    for (const { path, text, options } of files) await replaceGenerated(host, path, text, options)
  },
})

/** Writes a file of this agent, which nobody else writes. */
export const written = (
  host: Host,
  path: string,
  text: string,
  options?: WriteOptions,
): Change => ({
  effects: async () => writeOf(path, await host.files.read(path), text),
  apply: () => host.files.write(path, text, options),
})

export const folder = (host: Host, path: string, options?: WriteOptions): Change => ({
  effects: () => creationsOf(host, 'folder', path),
  apply: () => host.files.mkdir(path, options),
})

export const linked = (host: Host, target: string, path: string): Change => ({
  effects: () => creationsOf(host, 'link', path),
  apply: () => host.files.link(target, path),
})

/** Renames a path, if it exists. */
export const moved = (host: Host, from: string, to: string): Change =>
  provided(
    () => host.files.stat(from),
    declared([remove('folder', from), create('folder', to)], () => host.files.rename(from, to)),
  )

export const removed = (host: Host, kind: string, path: string): Change => ({
  effects: () => removalsOf(host, kind, path),
  apply: () => host.files.remove(path),
})

/** Removes only files that this agent generated. */
export const removedGenerated = (host: Host, ...paths: readonly string[]): Change => ({
  effects: () => removalsOf(host, 'file', ...paths),
  async apply() {
    for (const path of paths) await removeGenerated(host, path)
  },
})

/** Runs rm(1), which opens each folder below the previous one, so that no new link is followed. */
export const removedTree = (host: Host, kind: string, path: string): Change =>
  provided(
    () => host.files.stat(path),
    declared([remove(kind, path)], () =>
      host.shell.run(['rm', '-rf', '--one-file-system', '--', path]),
    ),
  )

/** Returns the step that writes files which this agent generates; none if they exist. */
export async function installSteps(
  host: Host,
  named: Pick<Step, 'name' | 'title'>,
  files: readonly GeneratedFile[],
): Promise<Step[]> {
  const change = generated(host, files)
  return (await change.effects()).length > 0 ? [{ ...named, ...change }] : []
}

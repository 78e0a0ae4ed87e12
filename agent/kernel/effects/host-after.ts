import type { Host } from '#agent/kernel/host/ports.ts'
import type { Effect } from '#shared/kernel/plan.ts'

/** Returns the machine for the plan of a step after those with these effects. */
export function hostAfter(host: Host, effects: readonly Effect[]): Host {
  const { files } = host
  const removed = effects.filter(({ action }) => action === 'remove')
  const services = removed.flatMap(({ kind, name }) => (kind === 'service' ? [name] : []))
  const isGone = (path: string) =>
    removed.some(({ name }) => path === name || path.startsWith(`${name}/`)) ||
    services.some((unit) => path.endsWith(`/${unit}/cgroup.procs`))
  return {
    ...host,
    files: {
      read: async (path, most) => (isGone(path) ? undefined : files.read(path, most)),
      stat: async (path) => (isGone(path) ? undefined : files.stat(path)),
      part: async (path, from, most) => (isGone(path) ? undefined : files.part(path, from, most)),
      list: async (path) =>
        (await files.list(path)).filter(({ name }) => !isGone(path) && !isGone(`${path}/${name}`)),
      space: (path) => files.space(path),
      write: (path, text, options) => files.write(path, text, options),
      append: (path, text, options) => files.append(path, text, options),
      remove: (path) => files.remove(path),
      rename: (from, to) => files.rename(from, to),
      mkdir: (path, options) => files.mkdir(path, options),
      link: (target, path) => files.link(target, path),
    },
  }
}

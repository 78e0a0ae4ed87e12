import type { Change } from '#agent/kernel/effects/change.ts'
import * as effects from '#agent/kernel/effects/effects.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { HOMES, restoresOf } from '#agent/kernel/site/paths.ts'
import { listSites, type Site } from '#agent/kernel/site/sites.ts'
import { type DiskLimits, diskLimits } from '#agent/kernel/site/tiers.ts'
import type { Progress, Step } from '#agent/kernel/steps/command.ts'
import { messageOf } from '#shared/kernel/errors.ts'
import type { Effect } from '#shared/kernel/plan.ts'
import { extraQuotaOf, removeExtraQuota } from './extra-quota.ts'

/** The package that has setquota(8). */
export const QUOTA_PACKAGE = 'quota'

/** Matches options of user quotas, but not `quota`, which ext4 shows with project quotas. */
const ENFORCED = /^(usrquota|usrjquota=.+)$/
const FILE_SYSTEMS = ['ext4', 'xfs']
const DU_MS = 60 * 60_000

/**
 * Returns the mount point of the sites' file system if it enforces user quotas; undefined
 * otherwise. The limit is on the user, not on a project (chattr -p): the owner of a file may assign
 * it to another project, even to that of a neighbour, but never to another user.
 */
export async function quotaMount({ files }: Host): Promise<string | undefined> {
  // The mounts of process 1, since the sandbox of the agent has its own: proc_pid_mountinfo(5).
  const text = (await files.read('/proc/1/mountinfo')) ?? ''
  const mounts = text.split('\n').map(mountOf).filter(holdsSites)
  const longest = Math.max(...mounts.map(({ point }) => point.length))
  // The last one hides earlier ones at the same path.
  const mount = mounts.findLast(({ point }) => point.length === longest)
  if (!mount || !FILE_SYSTEMS.includes(mount.type)) return undefined
  return mount.options.some((option) => ENFORCED.test(option)) ? mount.point : undefined
}

function mountOf(line: string) {
  const [mount = '', system = ''] = line.split(' - ')
  const [type = '', , options = ''] = system.split(' ')
  return { point: mount.split(' ')[4] ?? '', type, options: options.split(',') }
}

const holdsSites = ({ point }: { point: string }) =>
  point === '/' || point === HOMES || (point !== '' && HOMES.startsWith(`${point}/`))

/** Returns the step that limits the disk use of a site's user; none if quotas are off. */
export async function quotaSteps(
  host: Host,
  site: () => Promise<Site>,
  undo: () => Promise<void>,
): Promise<Step[]> {
  if ((await quotaMount(host)) === undefined) return []
  return [
    {
      name: 'disk quota',
      title: 'Setting the disk quota',
      ...limited(host, async () => [await site()]),
      undo,
    },
  ]
}

/**
 * Returns the step that limits every site, those in the trash included: quotas may have been turned
 * on after their creation. None if quotas are off or there is no site.
 */
export async function allQuotasSteps(host: Host): Promise<Step[]> {
  if ((await quotaMount(host)) === undefined) return []
  const places = ['sites', 'moved', 'trash'] as const
  const sites = (await Promise.all(places.map((place) => listSites(host, place)))).flat()
  if (sites.length === 0) return []
  return [
    {
      name: 'disk quotas',
      title: 'Setting the disk quotas of the sites',
      ...limited(host, async () => sites),
    },
  ]
}

const NOTHING: DiskLimits = { bytes: 0, files: 0 }

/**
 * Sets the limits of the tier and, on top, of the copies of the site's files that this agent keeps
 * beside the site, since the site's user owns them too: the state before a restore, and what is
 * being fetched. Returns the reason of a failure: a missing quota never fails the site.
 */
export async function limitDisk(
  host: Host,
  { user, tier }: Pick<Site, 'user' | 'tier'>,
): Promise<string | undefined> {
  if ((await quotaMount(host)) === undefined) return undefined
  // Runs in turn: the operation that measured later knows what is being fetched now.
  return host.exclusive(`disk quota of ${user}`, async () => {
    const limits = diskLimits(tier)
    const copies = await sizeOfCopies(host, user).catch(messageOf)
    if (typeof copies === 'string') return copies
    const room = await extraQuotaOf(host, user)
    return setLimits(host, user, {
      bytes: limits.bytes + copies.bytes + room.bytes,
      files: limits.files + copies.files + room.files,
    })
  })
}

async function sizeOfCopies({ files, shell }: Host, user: string): Promise<DiskLimits> {
  const folder = restoresOf(user)
  const copies = (await files.list(folder)).map(({ name }) => `${folder}/${name}`)
  if (copies.length === 0) return NOTHING
  const measured = async (unit: string) => {
    const argv = ['du', '--summarize', '--total', unit, '--', ...copies.sort()]
    // Status 1: something was removed meanwhile.
    const { stdout, stderr } = await shell.try(argv, { timeout_ms: DU_MS })
    const total = /^(\d+)\ttotal$/m.exec(stdout)?.[1]
    if (total === undefined) throw new Error(`du: ${stderr.trim()}`)
    return Number(total)
  }
  return { bytes: await measured('--block-size=1'), files: await measured('--inodes') }
}

const limited = (host: Host, sitesNow: () => Promise<readonly Site[]>) => ({
  effects: async (): Promise<Effect[]> =>
    (await sitesNow()).map(({ user }) => effects.change('disk quota', user)),
  async *apply(): Progress<void> {
    for (const site of await sitesNow()) {
      const problem = await limitDisk(host, site)
      if (problem !== undefined) yield `Warning: ${site.user} has no disk quota: ${problem}`
    }
  },
})

/** Removes the limits, which the next user with the same number would otherwise have. */
export const unlimitDisk = (host: Host, user: string): Change => ({
  effects: async () =>
    (await quotaMount(host)) === undefined ? [] : [effects.remove('disk quota', user)],
  async apply() {
    await removeExtraQuota(host, user)
    await setLimits(host, user, NOTHING)
  },
})

/** Sets the limits of a user, 0 for none. Returns why that failed. Does nothing without quotas. */
export async function setLimits(
  host: Host,
  user: string,
  { bytes, files }: DiskLimits,
): Promise<string | undefined> {
  const mount = await quotaMount(host)
  if (mount === undefined) return undefined
  // Uses whole blocks, the smallest unit of XFS.
  const kilobytes = 4 * Math.ceil(bytes / 4096)
  const limits = [kilobytes, kilobytes, files, files].map(String)
  const argv = ['setquota', '--user', user, ...limits, mount]
  // quotactl(2) needs CAP_SYS_ADMIN, which the agent does not have.
  const { code, stderr } = await host.shell.try(argv, { unconfined: true })
  if (code === 0) return undefined
  if (code === 127) return `the package ${QUOTA_PACKAGE} is not installed: provision this server`
  return stderr.trim().split('\n').join(' | ') || `setquota ended with status ${code}`
}

import process from 'node:process'
import { removeUser } from '#agent/features/access/accounts.ts'
import { withLargerQuota } from '#agent/features/backups/larger-quota.ts'
import { fetchedOf, restoreFolders } from '#agent/features/backups/paths.ts'
import { removeFetched } from '#agent/features/backups/previous-state.ts'
import { siteCreate } from '#agent/features/sites/site.create.ts'
import { siteDelete } from '#agent/features/sites/site.delete.ts'
import { sitePurge } from '#agent/features/sites/site.purge.ts'
import { siteUpdate } from '#agent/features/sites/site.update.ts'
import { readConfig } from '#agent/kernel/config.ts'
import { performSteps } from '#agent/kernel/operations/steps.ts'
import { tryAsSite } from '#agent/kernel/sandbox/run.ts'
import { homeOf, trashOf } from '#agent/kernel/site/paths.ts'
import { moveSite, type Site, writeSite } from '#agent/kernel/site/sites.ts'
import { limitDisk, setLimits } from '#agent/kernel/users/quota.ts'
import { realHost } from '#agent/real-host.ts'
import { siteCreate as contract } from '#shared/sites/site.create.ts'

/**
 * Runs in a virtual machine, on its empty disk: the disk steps of the agent's commands, and what a
 * site can do after each. Prints the results for each file system as JSON.
 */
const DISK = '/dev/vdb'
const SITES = '/srv/www'
const FILE_SYSTEMS = {
  ext4: ['mke2fs', '-q', '-F', '-t', 'ext4', '-O', 'quota,project', DISK],
  xfs: ['mkfs.xfs', '-q', '-f', DISK],
}

const host = realHost(readConfig(process.env).settings)
const { shell } = host
const [site, neighbour] = [siteOf('shop'), siteOf('store')]

function siteOf(user: string): Site {
  const [domain, email] = [`${user}.example`, `owner@${user}.example`]
  return contract.params.parse({ domain, user, email, php: '8.2', tier: 'small', tls: 'none' })
}

const creating = async (one: Site) => (await siteCreate.steps?.(one, host)) ?? []

/** Performs the steps with these names; returns their lines. */
async function perform(steps: Awaited<ReturnType<typeof creating>>, ...names: string[]) {
  const chosen = steps.filter(({ name }) => names.includes(name))
  const news = await Array.fromAsync(performSteps(chosen, async () => undefined))
  return news.filter((one) => typeof one === 'string')
}

/** `done`, or the last line of the site's program when it was refused. */
async function attempt(one: Site, ...argv: string[]): Promise<string> {
  const { code, stderr } = await tryAsSite(host, one, argv)
  return code === 0 ? 'done' : (stderr.trim().split('\n').at(-1) ?? '')
}

const inTmp = (one: Site, name: string) => `${homeOf(one.user)}/tmp/${name}`

const allocate = (one: Site, name: string, gib: number) =>
  attempt(one, 'fallocate', `--length=${gib}GiB`, inTmp(one, name))

const uidOf = async ({ user }: Site) => (await shell.run(['id', '--user', user])).stdout.trim()

/** A user's limits (KiB, files) and use; undefined for a user without them. */
async function quotaOf(uid: string) {
  const { stdout } = await shell.run(['repquota', '--user', '--no-names', '--output=csv', SITES])
  const row = stdout.split('\n').find((line) => line.startsWith(`#${uid},`))
  if (row === undefined) return null
  const [, , , used, , limit, , used_files, , limit_files] = row.split(',').map(Number)
  return { limits: [limit, limit_files], used: [used, used_files] }
}

async function small() {
  const uid = await uidOf(site)
  return {
    limits: (await quotaOf(uid))?.limits,
    within: await allocate(site, 'a', 9),
    beyond: await allocate(site, 'b', 2),
    other_user: await attempt(site, 'chown', neighbour.user, inTmp(site, 'a')),
    other_project: await attempt(site, 'chattr', '-p', '4711', inTmp(site, 'a')),
    still_beyond: await allocate(site, 'b', 2),
    neighbour: await allocate(neighbour, 'a', 9),
  }
}

/** A backup as large as the site, beside the site, that becomes the site's; then without it. */
async function copied() {
  const uid = await uidOf(site)
  const folder = fetchedOf(site.user)
  const fetch = async function* () {
    for (const path of [...restoreFolders(site.user), folder]) await host.files.mkdir(path)
    await shell.run(['fallocate', '--length=9GiB', `${folder}/b`])
    const { code } = await shell.try(['chown', uid, `${folder}/b`])
    yield code === 0 ? 'done' : 'refused'
  }
  const saved = { files: { count: 1, bytes: 9 * 2 ** 30 } }
  const fetched = await Array.fromAsync(withLargerQuota(host, site, saved, fetch))
  await limitDisk(host, site)
  const still_beyond = await allocate(site, 'b', 2)
  await removeFetched(host, site)
  return { fetched, still_beyond, limits: (await quotaOf(uid))?.limits }
}

/** With a low limit: a quarter of a million files take minutes here. */
async function files() {
  await setLimits(host, site.user, { bytes: 10e9, files: 300 })
  const many = ({ user }: Site) => `cd ${homeOf(user)}/sessions && seq 400 | xargs touch`
  return {
    beyond: await attempt(site, 'sh', '-c', many(site)),
    used: (await quotaOf(await uidOf(site)))?.used[1],
    neighbour: await attempt(neighbour, 'sh', '-c', many(neighbour)),
  }
}

async function medium() {
  const change = { domain: site.domain, tier: 'medium' } as const
  const lines = await perform((await siteUpdate.steps?.(change, host)) ?? [], 'disk quota')
  return {
    lines,
    limits: (await quotaOf(await uidOf(site)))?.limits,
    within: await allocate(site, 'b', 14),
    beyond: await allocate(site, 'c', 2),
  }
}

async function trash() {
  const uid = await uidOf(site)
  await host.files.mkdir(trashOf(site.user), { mode: 0o700 })
  const before = await quotaOf(uid)
  const steps = ((await siteDelete.steps?.(site, host)) ?? []).filter(
    ({ name }) => name === 'files',
  )
  await perform(steps, 'files')
  const kept = Bun.deepEquals(await quotaOf(uid), before)
  await steps[0]?.undo?.()
  const back = await attempt(site, 'ls', inTmp(site, 'a'))
  const beyond = await allocate(site, 'c', 2)
  await perform(steps, 'files')
  await moveSite(host, site.domain, 'sites', 'trash').apply()
  return { kept, back, beyond }
}

async function purge() {
  const uid = await uidOf(site)
  const params = { domain: site.domain, confirm: site.domain, trashed_days: 0 }
  await perform((await sitePurge.steps?.(params, host)) ?? [], 'files', 'user')
  return quotaOf(uid)
}

async function proofOn(type: keyof typeof FILE_SYSTEMS) {
  await shell.run(FILE_SYSTEMS[type])
  await shell.run(['mount', '-t', type, DISK, SITES])
  const off = (await creating(site)).map(({ name }) => name)
  await shell.run(['umount', SITES])
  await shell.run(['mount', '-t', type, '-o', 'usrquota', DISK, SITES])
  const lines: string[] = []
  for (const one of [site, neighbour]) {
    lines.push(...(await perform(await creating(one), 'user', 'disk quota', 'folders')))
    await writeSite(host, one)
  }
  return {
    off: off.includes('disk quota'),
    lines,
    small: await small(),
    copied: await copied(),
    files: await files(),
    medium: await medium(),
    trash: await trash(),
    purged: await purge(),
  }
}

await shell.run(['mkdir', '--parents', SITES])
const proof: Record<string, unknown> = {}
for (const type of ['ext4', 'xfs'] as const) {
  proof[type] = await proofOn(type).catch((error: unknown) => String(error))
  await shell.try(['umount', SITES])
  for (const { user, domain } of [site, neighbour]) await removeUser(host, user, domain).apply()
}
console.log(JSON.stringify(proof))
process.exit(0)

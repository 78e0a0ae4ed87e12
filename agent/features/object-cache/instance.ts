import type { Change } from '#agent/kernel/effects/change.ts'
import * as effects from '#agent/kernel/effects/effects.ts'
import { MARK_LINE, removeGenerated, replaceGenerated } from '#agent/kernel/effects/generated.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { sandboxOf } from '#agent/kernel/sandbox/sandbox.ts'
import { sliceOf, WANTS } from '#agent/kernel/services/systemd.ts'
import type { Site } from '#agent/kernel/site/sites.ts'
import { unit } from '#shared/kernel/formats/systemd.ts'
import { isMet, NEEDS } from '#shared/kernel/needs.ts'
import { objectCacheLimit } from '#shared/object-cache/object-cache.ts'
import { folderOf, processesOf, socketOf, unitOf, unitPathOf, wantsPathOf } from './paths.ts'
import { type CacheProgram, installedProgram } from './programs.ts'

type CachedSite = Pick<Site, 'user' | 'tier' | 'object_cache' | 'suspended'>

/** Returns the unit that the site should have; undefined for none and without its program. */
async function wantedUnit(host: Host, site: CachedSite): Promise<string | undefined> {
  const { user, tier, object_cache, suspended } = site
  if (!isMet(NEEDS.object_cache, host) || !object_cache || suspended) return undefined
  const program = await installedProgram(host)
  return program && renderUnit(user, objectCacheLimit(object_cache.memory, tier), program)
}

export async function isInstanceRunning({ files }: Pick<Host, 'files'>, user: string) {
  return ((await files.read(processesOf(user))) ?? '') !== ''
}

/** Starts, restarts or removes the object cache of a site. Throws if it does not start. */
export const applyInstance = (host: Host, site: CachedSite): Change => ({
  async effects() {
    const { user } = site
    const text = await wantedUnit(host, site)
    if (text === undefined) return removeInstance(host, user).effects()
    const written = await effects.writesOf(host, [{ path: unitPathOf(user), text }])
    const runs = await isInstanceRunning(host, user)
    const started = runs
      ? effects.run('restart', unitOf(user))
      : effects.create('service', unitOf(user))
    return [
      ...written,
      ...(await effects.creationsOf(host, 'link', wantsPathOf(user))),
      ...(runs && written.length === 0 ? [] : [started]),
    ]
  },
  async apply() {
    const { user } = site
    const text = await wantedUnit(host, site)
    if (text === undefined) return removeInstance(host, user).apply()
    const former = await host.files.read(unitPathOf(user))
    // If it is killed after any of these steps, the next call finds no process of former options.
    if (former !== undefined && former !== text)
      await host.shell.run(['systemctl', 'stop', unitOf(user)])
    await replaceGenerated(host, unitPathOf(user), text)
    await host.files.mkdir(WANTS)
    await host.files.link(unitPathOf(user), wantsPathOf(user))
    await host.shell.run(['systemctl', 'daemon-reload'])
    await host.shell.run(['systemctl', 'start', unitOf(user)])
  },
})

/** Applies it without failing; systemd keeps trying, and WordPress works without it. */
export const applyInstanceQuietly = (host: Host, site: CachedSite): Promise<void> =>
  applyInstance(host, site)
    .apply()
    .catch(() => undefined)

/** Removes the server and its objects; a replacement of its database stops its programs. */
export const removeInstance = (host: Host, user: string): Change => ({
  effects: async () => [
    ...((await isInstanceRunning(host, user)) ? [effects.remove('service', unitOf(user))] : []),
    ...(await effects.removalsOf(host, 'link', wantsPathOf(user))),
    ...(await effects.removalsOf(host, 'file', unitPathOf(user))),
  ],
  async apply() {
    if (!(await host.files.stat(unitPathOf(user)))) return
    await host.files.remove(wantsPathOf(user))
    await host.shell.run(['systemctl', 'stop', unitOf(user)])
    await host.shell.try(['systemctl', 'reset-failed', unitOf(user)])
    await removeGenerated(host, unitPathOf(user))
    await host.shell.run(['systemctl', 'daemon-reload'])
  },
})

/** The memory of the program in addition to the objects, in MB. */
const OWN_MEMORY = 48
/** The commands of the drop-in and of the reader of its numbers: everything else is refused. */
const COMMANDS = unit.part`+mget +set +unlink +incrby +scan +flushdb +info +ping`

/**
 * Returns options of valkey.conf(5). Nothing is written to the disk, and no network is used. Only
 * the site can connect, so that there is no password, which it would know anyway.
 */
const optionsOf = (user: string, memory: number) =>
  unit.part`--supervised systemd --port 0 --unixsocket ${socketOf(user)} --unixsocketperm 600 --save "" --appendonly no --databases 1 --maxmemory ${memory}mb --maxmemory-policy allkeys-lru --maxclients 256 --maxmemory-clients 32mb --client-query-buffer-limit 32mb --proto-max-bulk-len 16mb --loglevel warning --dir / --user default on nopass ~* resetchannels -@all ${COMMANDS}`

/** Renders the unit with the user of the site, sandbox and limits, but no files and no network. */
function renderUnit(user: string, memory: number, program: CacheProgram): string {
  return unit`# ${MARK_LINE}
[Unit]
Description=Object cache of ${user}
StartLimitIntervalSec=0

[Service]
Type=notify
Slice=${sliceOf(user)}
ExecStart=@${program.path} ${program.name} ${optionsOf(user, memory)}
RuntimeDirectory=${folderOf(user)}
RuntimeDirectoryMode=0700
Restart=always
RestartSec=1
TimeoutStartSec=30
TimeoutStopSec=5
OOMPolicy=continue
OOMScoreAdjust=500
UMask=0077
StandardOutput=null
StandardError=null
${sandboxOf(user, { home: false, notify: true }).join('\n')}
BindPaths=/run/${folderOf(user)}
PrivateNetwork=yes
IPAddressDeny=any
MemoryDenyWriteExecute=yes
MemoryMax=${memory + Math.ceil(memory / 4) + OWN_MEMORY}M
TasksMax=16
LimitCORE=0

[Install]
WantedBy=multi-user.target
`
}

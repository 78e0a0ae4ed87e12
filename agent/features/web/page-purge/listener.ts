import { type Change, generated } from '#agent/kernel/effects/change.ts'
import * as effects from '#agent/kernel/effects/effects.ts'
import {
  type GeneratedFile,
  MARK_LINE,
  removeGenerated,
  replaceGenerated,
} from '#agent/kernel/effects/generated.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { sliceOf, WANTS } from '#agent/kernel/services/systemd.ts'
import { CACHES, CONFIGURATION, HOMES, pageCacheOf } from '#agent/kernel/site/paths.ts'
import { hasPageCache } from '#agent/kernel/site/settings.ts'
import type { Site } from '#agent/kernel/site/sites.ts'
import { unit } from '#shared/kernel/formats/systemd.ts'
import { isMet, NEEDS } from '#shared/kernel/needs.ts'
import { servedNamesOf } from '#shared/kernel/site-names.ts'
import { LISTENER_PHP_TEXT } from './listener-php.ts'
import {
  LISTENER_PHP,
  PLUGIN_PHP,
  purgeSocketOf,
  RUN_FOLDER,
  servicePathOf,
  serviceUnitOf,
  socketPathOf,
  socketUnitOf,
  wantsPathOf,
} from './paths.ts'
import { PLUGIN_PHP_TEXT } from './plugin-php.ts'

const wantsPurge = (host: Host, site: Site): boolean =>
  isMet(NEEDS.page_purge, host) && site.settings?.page_purge === true && hasPageCache(site)

/** Installs the programs of root that every site with the setting runs. */
const purgePrograms = (host: Host): Change =>
  generated(host, [
    { path: LISTENER_PHP, text: LISTENER_PHP_TEXT },
    { path: PLUGIN_PHP, text: PLUGIN_PHP_TEXT },
  ])

/** Leaves out wildcard aliases, which have no list of addresses: their pages expire. */
const filesOf = (site: Site): GeneratedFile[] => {
  const { user } = site
  const hosts = servedNamesOf(site).filter((name) => !name.startsWith('*'))
  return [
    { path: socketPathOf(user), text: renderSocket(user) },
    { path: servicePathOf(user), text: renderService(user, hosts) },
  ]
}

/** Starts or removes the listener of a site by its record. */
export const applyListener = (host: Host, site: Site): Change => ({
  async effects() {
    const { user } = site
    if (!wantsPurge(host, site)) return removeListener(host, user).effects()
    const link = await effects.creationsOf(host, 'link', wantsPathOf(user))
    return [
      ...(await purgePrograms(host).effects()),
      ...(await effects.writesOf(host, filesOf(site))),
      ...link,
      ...(link.length > 0 ? [effects.create('service', socketUnitOf(user))] : []),
      ...(await effects.creationsOf(host, 'folder', RUN_FOLDER)),
      ...(await effects.creationsOf(host, 'socket', purgeSocketOf(user))),
    ]
  },
  async apply() {
    const { user } = site
    if (!wantsPurge(host, site)) return removeListener(host, user).apply()
    await purgePrograms(host).apply()
    const planned = await effects.writesOf(host, filesOf(site))
    for (const { path, text } of filesOf(site)) await replaceGenerated(host, path, text)
    await host.files.mkdir(WANTS)
    await host.files.link(socketPathOf(user), wantsPathOf(user))
    if (planned.length > 0) {
      await host.shell.run(['systemctl', 'daemon-reload'])
      // The listener has the former names; the next message starts it again.
      await host.shell.run(['systemctl', 'stop', serviceUnitOf(user)])
    }
    await host.shell.run(['systemctl', 'start', socketUnitOf(user)])
  },
})

/** Applies it without failing, for a change that works without it: pages expire by themselves. */
export const applyListenerQuietly = (host: Host, site: Site): Promise<void> =>
  applyListener(host, site)
    .apply()
    .catch(() => undefined)

export const removeListener = (host: Host, user: string): Change => ({
  async effects() {
    const link = await effects.removalsOf(host, 'link', wantsPathOf(user))
    return [
      ...(link.length > 0 ? [effects.remove('service', socketUnitOf(user))] : []),
      ...link,
      ...(await effects.removalsOf(host, 'file', servicePathOf(user), socketPathOf(user))),
      ...(await effects.removalsOf(host, 'socket', purgeSocketOf(user))),
    ]
  },
  async apply() {
    if (!(await host.files.stat(socketPathOf(user)))) return
    await host.files.remove(wantsPathOf(user))
    const units = [socketUnitOf(user)]
    // systemctl refuses a unit without a file, which an interrupted removal leaves.
    if (await host.files.stat(servicePathOf(user))) units.push(serviceUnitOf(user))
    await host.shell.run(['systemctl', 'stop', ...units])
    await host.shell.try(['systemctl', 'reset-failed', ...units])
    // The file of the socket identifies the listener, and goes last.
    for (const path of [servicePathOf(user), socketPathOf(user)]) await removeGenerated(host, path)
    await host.shell.run(['systemctl', 'daemon-reload'])
  },
})

/** Only the user of the site can write to the socket. systemd keeps it while nothing runs. */
const renderSocket = (user: string) => unit`# ${MARK_LINE}
[Unit]
Description=Changed pages of ${user}

[Socket]
ListenDatagram=${purgeSocketOf(user)}
Service=${serviceUnitOf(user)}
SocketUser=${user}
SocketMode=0600
DirectoryMode=0711
RemoveOnStop=yes

[Install]
WantedBy=multi-user.target
`

/**
 * Runs as the user of nginx, to whom the files of its caches belong, without a capability and any
 * network, and with the cache of this site alone. Its time is that of the site.
 */
const renderService = (user: string, hosts: readonly string[]) => unit`# ${MARK_LINE}
[Unit]
Description=Removes changed pages of ${user} from its page cache
StartLimitIntervalSec=0

[Service]
Slice=${sliceOf(user)}
ExecStart=/usr/bin/php -n -d pcre.jit=0 ${LISTENER_PHP} ${[pageCacheOf(user), ...hosts]}
User=www-data
Group=www-data
Nice=10
UMask=0077
StandardInput=null
StandardOutput=null
StandardError=null
NoNewPrivileges=yes
CapabilityBoundingSet=
ProtectSystem=strict
ProtectHome=yes
TemporaryFileSystem=${CACHES}:ro ${HOMES}:ro /var/log:ro ${CONFIGURATION}:ro /var/lib:ro
BindPaths=-${pageCacheOf(user)}
ReadWritePaths=-${pageCacheOf(user)}
InaccessiblePaths=-/run/hosting-agent -/run/hosting-fpm -/run/mysqld -/run/dbus -/etc/nginx
ReadOnlyPaths=/proc /sys
PrivateTmp=yes
PrivateDevices=yes
PrivateIPC=yes
PrivateNetwork=yes
ProtectProc=invisible
ProtectClock=yes
ProtectHostname=yes
ProtectKernelModules=yes
ProtectKernelLogs=yes
ProtectControlGroups=yes
RestrictAddressFamilies=AF_UNIX
RestrictNamespaces=yes
RestrictRealtime=yes
LockPersonality=yes
KeyringMode=private
MemoryDenyWriteExecute=yes
SystemCallArchitectures=native
SystemCallFilter=@system-service
SystemCallErrorNumber=EPERM
MemoryMax=64M
TasksMax=4
LimitCORE=0
`

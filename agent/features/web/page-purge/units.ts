import { MARK_LINE } from '#agent/kernel/effects/generated.ts'
import { sliceOf } from '#agent/kernel/services/systemd.ts'
import { CACHES, CONFIGURATION, HOMES, pageCacheOf } from '#agent/kernel/site/paths.ts'
import { unit } from '#shared/kernel/formats/systemd.ts'
import { LISTENER_PHP, purgeSocketOf, serviceUnitOf } from './places.ts'

/** Only the user of the site can write to it. systemd keeps it while nothing runs. */
export const renderSocket = (user: string) => unit`# ${MARK_LINE}
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
 * The user of nginx, to whom the files of its caches belong, without a capability and any network, and
 * with the cache of this site alone. Its time is that of the site.
 */
export const renderService = (user: string, hosts: readonly string[]) => unit`# ${MARK_LINE}
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

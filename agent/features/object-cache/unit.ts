import { MARK_LINE } from '#agent/kernel/effects/generated.ts'
import { sandboxOf } from '#agent/kernel/sandbox/sandbox.ts'
import { sliceOf } from '#agent/kernel/services/systemd.ts'
import { unit } from '#shared/kernel/formats/systemd.ts'
import { folderOf, socketOf } from './places.ts'
import type { Program } from './programs.ts'

/** The memory of the program in addition to the objects, in MB. */
const OWN_MEMORY = 48
/** Those of the drop-in, and of the reader of its numbers: everything else is refused. */
const COMMANDS = unit.part`+mget +set +unlink +incrby +scan +flushdb +info +ping`

/**
 * Options of valkey.conf(5). Nothing is written to the disk, and no network is used. A site alone
 * can connect, so that there is no password, which it would know anyway.
 */
const optionsOf = (user: string, memory: number) =>
  unit.part`--supervised systemd --port 0 --unixsocket ${socketOf(user)} --unixsocketperm 600 --save "" --appendonly no --databases 1 --maxmemory ${memory}mb --maxmemory-policy allkeys-lru --maxclients 256 --maxmemory-clients 32mb --client-query-buffer-limit 32mb --proto-max-bulk-len 16mb --loglevel warning --dir / --user default on nopass ~* resetchannels -@all ${COMMANDS}`

/** The user of the site, with its sandbox and limits, but without its files and any network. */
export function renderUnit(user: string, memory: number, program: Program): string {
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

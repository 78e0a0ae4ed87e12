import { declared, generated, inOrder } from '#agent/kernel/effects/change.ts'
import { run } from '#agent/kernel/effects/effects.ts'
import { MARK_LINE } from '#agent/kernel/effects/generated.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { onUnits } from '#agent/kernel/services/index.ts'
import { UNITS } from '#agent/kernel/services/systemd.ts'
import { CONFIGURATION } from '#agent/kernel/site/paths.ts'
import type { Step } from '#agent/kernel/steps/command.ts'
import { unit } from '#shared/kernel/formats/systemd.ts'

const NFT = '/usr/sbin/nft'
const RULES = `${CONFIGURATION}/connections.nft`
const UNIT = 'hosting-connections.service'
const TABLE = 'inet hosting_visitors'
export const CONNECTION_PATHS = [`${UNITS}/${UNIT}`, RULES]

/**
 * The limit for an address. With 10 seconds for the head of a request, it holds at most 2,000 + 10
 * * 300 connections of the 8,192 of a worker of nginx. Browsers reuse connections: many visitors
 * behind one address open fewer than 300 in a second, and a dropped packet is sent again after a
 * second.
 */
const RATE_LIMIT = 'limit rate over 300/second burst 2000 packets'
const NEW_CONNECTIONS = 'tcp dport { 80, 443 } tcp flags & (syn | ack) == syn'
const SET = 'size 65535; flags dynamic,timeout; timeout 1m;'

/** Rules in an own table: others of the server stay. An IPv6 visitor has a whole /64. */
const RULES_TEXT = `# ${MARK_LINE}
table ${TABLE}
delete table ${TABLE}
table ${TABLE} {
    set addresses { type ipv4_addr; ${SET} }
    set networks { type ipv6_addr; ${SET} }
    set users { typeof meta skuid; ${SET} }
    chain arriving {
        type filter hook input priority -10; policy accept;
        iif "lo" accept
        ${NEW_CONNECTIONS} update @addresses { ip saddr ${RATE_LIMIT} } drop
        ${NEW_CONNECTIONS} update @networks { ip6 saddr & ffff:ffff:ffff:ffff:: ${RATE_LIMIT} } drop
    }
    chain local {
        type filter hook output priority -10; policy accept;
        oif "lo" ${NEW_CONNECTIONS} meta skuid >= 1000 update @users { meta skuid ${RATE_LIMIT} } drop
    }
}
`

/** The unit of the limit. Without nf_tables, as in some containers, there is none. */
const UNIT_TEXT = unit`# ${MARK_LINE}
[Unit]
Description=Limit of new connections for each address and each site
ConditionPathExists=${NFT}
After=nftables.service
Before=nginx.service

[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=-${NFT} --file ${RULES}
ExecStop=-${NFT} delete table ${TABLE.split(' ')}

[Install]
WantedBy=multi-user.target
`

/**
 * Returns the step that limits the rate of new connections to nginx, where nftables is installed:
 * nginx itself does not count connections whose request is not complete. None if that is done, or
 * without systemd.
 */
export const connectionRateSteps = onUnits(async (host): Promise<Step[]> => {
  if (!(await host.files.stat(NFT))) return []
  const files = generated(host, [
    { path: RULES, text: RULES_TEXT },
    { path: `${UNITS}/${UNIT}`, text: UNIT_TEXT },
  ])
  if ((await files.effects()).length === 0) return []
  const started = declared([run('restart', UNIT)], async () => {
    await host.shell.run(['systemctl', 'daemon-reload'])
    await host.shell.run(['systemctl', 'enable', '--quiet', UNIT])
    await host.shell.run(['systemctl', 'restart', UNIT])
  })
  const title = 'Limiting the rate of new connections'
  return [{ name: 'connection rate', title, ...inOrder(files, started) }]
}, [])

/** Stops the limit when no site needs it any more. Does not throw. */
export async function stopConnectionRate({ shell }: Pick<Host, 'shell'>): Promise<void> {
  await shell.try(['systemctl', 'disable', '--now', '--quiet', UNIT])
}

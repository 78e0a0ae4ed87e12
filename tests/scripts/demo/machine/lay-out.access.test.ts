import { expect, test } from 'bun:test'
import { CLIENT_ATTACKS } from '#agent/features/isolation/attacks/clients.ts'
import { getSite } from '#agent/kernel/site/sites.ts'
import { makeFleet } from '#scripts/demo/fleet/make-fleet.ts'
import { resultOf } from '#scripts/demo/machine/carry-out.ts'
import { hostOn, Turns } from '#scripts/demo/machine/host.ts'
import { layOutAccess, layOutServer } from '#scripts/demo/machine/lay-out.ts'
import { Machine } from '#scripts/demo/machine/machine.ts'

const NOW = Date.UTC(2026, 5, 1)
const TIME = { now: () => NOW, elapsed: () => 0, loadTime: () => NOW }
const [domain, other] = ['shop.example', 'photos.example'] as const
const client = {
  ...{ token: 'abcd2345', label: 'Print shop', expires_at: null },
  password_hash: `$2b$12$${'a'.repeat(53)}`,
}

/** A server of the demo with two sites. */
async function server() {
  const { seed, servers } = makeFleet('access', { servers: 1, sites: 0 })
  const [plan] = servers
  if (!plan) throw new Error('The fleet has no server')
  const machine = new Machine({ seed }, plan, TIME)
  layOutServer(machine)
  const host = hostOn(machine, { turns: new Turns(), pace: 0 })
  await resultOf(host, 'server.provision', { php_versions: [] })
  const email = 'webmaster@shop.example'
  const site = { php: plan.php[0] ?? '8.2', tier: 'small', tls: 'none', email } as const
  await resultOf(host, 'site.create', { ...site, domain, user: 'shop' })
  await resultOf(host, 'site.create', { ...site, domain: other, user: 'photos' })
  return { machine, host }
}

test('sshd of the demo confines a client account as the agent demands', async () => {
  const { host } = await server()
  const params = { domain, grants: [], clients: [client], install: false }
  const { clients } = await resultOf(host, 'site.access', params)

  expect(clients).toEqual([{ token: 'abcd2345', login: 'shop.abcd2345', expires_at: null }])
})

test('a client account of the demo leads to its own site alone', async () => {
  const { machine, host } = await server()
  const scene = {
    ...{ host, attacker: await getSite(host, domain), neighbour: await getSite(host, other) },
    ...{ random: 'r', secret: 's', key: 'k', about: { pid: 71, ppid: 70, prefix: 'wp_' } },
    scan: () => Promise.reject(new Error('not scanned')),
  }
  const before = await CLIENT_ATTACKS['ssh.clients'].attempt(scene)
  layOutAccess(machine)
  const { passwd, shadow } = accounts(machine)
  const after = await CLIENT_ATTACKS['ssh.clients'].attempt(scene)

  expect([before.outcome, after]).toEqual(['not_applicable', { outcome: 'refused', detail: '' }])
  expect(accounts(machine)).toEqual({ passwd, shadow })
})

const accounts = ({ disk }: Machine) => ({
  passwd: disk.text('/etc/passwd'),
  shadow: disk.text('/etc/shadow'),
})

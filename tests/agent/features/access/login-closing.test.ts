import { expect, test } from 'bun:test'
import {
  closeLoginsSteps,
  openAccountDates,
  openLogins,
  openLoginsSteps,
} from '#agent/features/access/login-closing.ts'
import { writeSite } from '#agent/kernel/site/sites.ts'
import type { Step } from '#agent/kernel/steps/command.ts'
import { server, shop } from '#tests/support/agent/debian.ts'
import { anna } from '#tests/support/agent/with-sshd.ts'
import type { FakeHost } from '#tests/support/fake-host.ts'

const open = { ...shop, access: [anna] }
const GATE = 'shop.ssh:x:990:990:Shell of shop:/srv/www/shop:/usr/local/lib/hosting/shell-client\n'

/** With a shell, unless its account is not wanted. */
async function machine({ shell = true } = {}) {
  const host = await server(shop)
  await writeSite(host, open)
  if (shell) {
    host.disk.putText('/etc/passwd', `${host.disk.text('/etc/passwd')}${GATE}`)
    host.disk.putText('/etc/shadow', `${host.disk.text('/etc/shadow')}shop.ssh:!:20000::::::\n`)
  }
  return host
}

/** The days on which the accounts expired. */
const days = ({ disk }: FakeHost) =>
  ['shop', 'shop.ssh'].map(
    (account) =>
      new RegExp(`^${account}(?::[^:]*){6}:([^:]*):`, 'm').exec(
        disk.text('/etc/shadow') ?? '',
      )?.[1],
  )
const expire = (host: FakeHost, account: string, day: string) =>
  host.shell.run(['usermod', '--expiredate', day, '--', account])
const apply = async (steps: Step[]) => {
  for (const step of steps) await step.apply()
}

test('closes both accounts before sessions end, and opens them again', async () => {
  const host = await machine()

  await apply(closeLoginsSteps(host, open))

  expect(days(host)).toEqual(['2', '2'])
  const first = host.ran.findIndex((line) => line.startsWith('start-stop-daemon'))
  expect(host.ran.slice(0, first)).toEqual([
    'usermod --expiredate 2 -- shop',
    'usermod --expiredate 2 -- shop.ssh',
  ])
  await apply(openLoginsSteps(host, open))
  expect(days(host)).toEqual(['', ''])
})

test('the undo of each is the other one', async () => {
  const host = await machine()
  const [close] = closeLoginsSteps(host, open)
  const [reopen] = openLoginsSteps(host, open)

  await close?.apply()
  await close?.undo?.()
  expect(days(host)).toEqual(['', ''])

  await reopen?.undo?.()
  expect(days(host)).toEqual(['2', '2'])
})

test('does nothing where nobody has access', async () => {
  const host = await machine()

  expect([closeLoginsSteps(host, shop), openLoginsSteps(host, shop)]).toEqual([[], []])
  expect(await openAccountDates(host, shop)).toEqual([])
})

test('opens no account that it did not close', async () => {
  const host = await machine()
  await expire(host, 'shop', '1')
  await expire(host, 'shop.ssh', '15000')
  expect(await openAccountDates(host, open)).toEqual([])

  await apply(closeLoginsSteps(host, open))
  await openLogins(host, shop)

  expect(days(host)).toEqual(['1', '15000'])
})

test('closes an account whose date is still to come', async () => {
  const host = await machine({ shell: false })
  await expire(host, 'shop', '90000')

  expect(await openAccountDates(host, open)).toEqual([['shop', '']])
})

import { expect, test } from 'bun:test'
import { findForeignObjects } from '#agent/kernel/database/audit.ts'
import { server, shop } from '#tests/support/agent/debian.ts'

const rights = (access: number) => JSON.stringify({ access })

test('finds nothing on a server as the agent configures it', async () => {
  const host = await server(shop)
  host.rows('SET STATEMENT max_statement_time=5, lock_wait_timeout=1 FOR SELECT User AS user', [
    { user: 'root', host: 'localhost', priv: rights(2 ** 63), name: 'mysql' },
    { user: 'shop', host: 'localhost', priv: rights(0), name: 'shop' },
  ])

  expect(await findForeignObjects(host)).toEqual({ found: [], incomplete: [] })
})

test('finds code in the databases of sites, and accounts with more rights than a site', async () => {
  const host = await server(shop)
  const bounded = 'SET STATEMENT max_statement_time=5, lock_wait_timeout=1 FOR'
  host.rows(`${bounded} SELECT name, type`, [
    { name: 'pwn', type: 'FUNCTION', security_type: 'INVOKER', definer: 'shop@localhost' },
  ])
  host.rows(`${bounded} SELECT name, definer`, [{ name: 'tick', definer: 'shop@localhost' }])
  host.rows(`${bounded} SELECT User AS user, Host AS host, Priv`, [
    { user: 'shop', host: 'localhost', priv: rights(1) },
    { user: 'bd', host: '%', priv: rights(2 ** 63) },
    { user: 'backup', host: 'localhost', priv: rights(0) },
  ])
  host.rows(`${bounded} SELECT User AS user, Host AS host, Db AS name FROM mysql.db`, [
    { user: 'shop', host: '%', name: 'shop' },
    { user: 'shop', host: 'localhost', name: 'other' },
    { user: 'backup', host: 'localhost', name: 'shop' },
    { user: 'backup', host: 'localhost', name: 'own' },
  ])
  const view = 'TYPE=VIEW\nquery=select 1\ndefiner_user=shop\ndefiner_host=localhost\nsuid=0\n'
  await host.disk.write('/var/lib/mysql/shop/pwn@002doptions.frm', view)
  await host.disk.write('/var/lib/mysql/shop/wp_options.frm', '\u00fe\u0001')
  await host.disk.write('/var/lib/mysql/shop/spy.TRN', 'TYPE=TRIGGERNAME\ntrigger_table=t\n')

  const { found, incomplete } = await findForeignObjects(host)

  const code = { database: 'shop', definer: 'shop@localhost' }
  expect(found).toEqual([
    { kind: 'account', database: '*', name: 'shop@localhost' },
    { kind: 'account', database: '*', name: 'bd@%' },
    { kind: 'right', database: 'shop', name: 'shop@%' },
    { kind: 'right', database: 'other', name: 'shop@localhost' },
    { kind: 'right', database: 'shop', name: 'backup@localhost' },
    { kind: 'routine', name: 'pwn', security: 'INVOKER', ...code },
    { kind: 'event', name: 'tick', security: 'DEFINER', ...code },
    { kind: 'view', name: 'pwn-options', security: 'INVOKER', ...code },
    { kind: 'trigger', name: 'spy', security: 'DEFINER', database: 'shop' },
  ])
  expect(incomplete).toEqual([])
})

test('lists 1,000 at most, and names unreadable objects', async () => {
  const host = await server(shop)
  for (let at = 0; at < 1500; at++) await host.disk.write(`/var/lib/mysql/shop/t${at}.TRN`, '')
  host.failSql('SET STATEMENT max_statement_time=5, lock_wait_timeout=1 FOR SELECT User', 'no')

  const { found, incomplete } = await findForeignObjects(host)

  expect(found).toHaveLength(1000)
  expect(incomplete).toEqual(['accounts: MariaDB: no', 'only the first 1000 are listed'])
})

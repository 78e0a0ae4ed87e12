import { expect, test } from 'bun:test'
import { DATABASE_USER_ATTACKS } from '#agent/features/isolation/attacks/database-users.ts'
import type { Scene } from '#agent/features/isolation/scene.ts'
import { server, shop } from '#tests/support/agent/debian.ts'

const attack = DATABASE_USER_ATTACKS['sql.temporary-user']

/** A server whose MariaDB allows statements that match. */
async function attacked(weakness?: RegExp) {
  const host = await server(shop)
  const neighbour = { ...shop, user: 'blog', domain: 'blog.example' }
  const clients: string[] = []
  const attempt = host.shell.try
  host.shell.try = async (argv, given) => {
    const output = await attempt(argv, given)
    if (argv[0] !== 'mariadb') return output
    const line = `${argv.join(' ')} ${given?.input}`
    clients.push(`${given?.site?.user} ${argv.find((word) => word.startsWith('--user='))}`)
    return { ...output, stdout: weakness?.test(line) ? 'isolation_done\n' : '' }
  }
  const verdict = await attack.attempt({ host, attacker: shop, neighbour } as unknown as Scene)
  const left = await host.database.admin('list_temporary_accounts')
  return { verdict, clients, left }
}

test('is refused where neither the user nor its account can be used, and leaves no user', async () => {
  const { verdict, clients, left } = await attacked()

  expect([verdict, left]).toEqual([{ outcome: 'refused', detail: '' }, []])
  expect(clients).toEqual([
    expect.stringMatching(/^shop --user=hosting_tmp_[a-z0-9]{10}_\d{10}$/),
    ...Array(4).fill('shop --user=shop'),
  ])
})

test.each([
  [/--user=hosting_tmp_/, 'it logged in'],
  [/SHOW GRANTS|DROP USER/, 'it read its rights, removed it'],
  [/SET PASSWORD/, 'it set its password'],
])('succeeds where MariaDB allows %p, and leaves no user', async (weakness, detail) => {
  const { verdict, left } = await attacked(weakness)

  expect([verdict, left]).toEqual([{ outcome: 'succeeded', detail }, []])
})

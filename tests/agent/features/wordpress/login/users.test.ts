import { expect, test } from 'bun:test'
import { listUsers } from '#agent/features/wordpress/login/users.ts'
import { server, shop } from '#tests/support/agent/debian.ts'

const PHP = '/usr/bin/php8.2'
const ANNA = { id: 9, login: 'anna', name: 'Anna', role: 'editor', email: "o'neil@shop.example" }

test('finds the user with an address, which cannot become a part of the program', async () => {
  const host = await server(shop)
  host.answer(PHP, JSON.stringify({ users: [ANNA], more: false }))

  const found = await listUsers(host, shop, ANNA.email)

  expect(found).toEqual({ users: [ANNA], more: false })
  const [run] = host.runs.filter(({ line }) => line.startsWith(PHP))
  const encoded = Buffer.from(ANNA.email).toString('base64')
  expect(run?.options.input).toContain(`'search' => base64_decode('${encoded}')`)
  expect(run?.options.input).not.toContain('neil')
})

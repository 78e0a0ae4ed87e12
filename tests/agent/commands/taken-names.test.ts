import { expect, test } from 'bun:test'
import { refuseTakenNames } from '#agent/commands/taken-names.ts'
import { type Site, writeSite } from '#agent/os/site/sites.ts'
import { server, shop } from '#tests/support/agent/debian.ts'

const other: Site = { ...shop, domain: 'other.example', user: 'other' }
const names = { www: 'serve' as const, aliases: ['alias.example'], redirects: [] }
const arriving: Site = { ...shop, names }

test('accepts names that nobody else has, and the record of the site itself', async () => {
  const host = await server()
  await writeSite(host, arriving)
  await writeSite(host, other)

  expect(await refuseTakenNames(host, arriving)).toBeUndefined()
})

test('names the alias and the site that has it', async () => {
  const host = await server()
  await writeSite(host, { ...other, names: { ...names, aliases: ['www.alias.example'] } })

  await expect(refuseTakenNames(host, arriving)).rejects.toThrow(
    'alias.example is a name of the site other.example of this server',
  )
})

test('names an alias of a site in the trash', async () => {
  const host = await server()
  await writeSite(host, { ...other, names }, 'trash')

  await expect(refuseTakenNames(host, arriving)).rejects.toThrow(
    'alias.example is a name of other.example, which is in the trash of this server',
  )
})

test('names the file of a virtual host that another program made', async () => {
  const host = await server()
  const path = '/etc/nginx/sites-enabled/own.conf'
  host.answer('nginx -T', `# configuration file ${path}:\nserver { server_name alias.example; }\n`)

  await expect(refuseTakenNames(host, arriving)).rejects.toThrow(
    `alias.example is already served by ${path} on this server`,
  )
})

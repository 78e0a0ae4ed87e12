import { expect, test } from 'bun:test'
import { siteRename } from '#agent/features/copies/site.rename.ts'
import { writeSite } from '#agent/kernel/site/sites.ts'
import { shop } from '#tests/support/agent/debian.ts'
import { NEW, renamable, rename, renameParams, standing } from '#tests/support/agent/renaming.ts'
import { selfSignedPem } from '#tests/support/fixtures/certificates.ts'

test('keeps the certificate of a name for as long as nginx reads its virtual host', async () => {
  const host = await renamable()
  await writeSite(host, { ...shop, tls: 'self-signed' })
  host.answer('openssl req', selfSignedPem)
  host.pages.set(`https://${NEW}/`, '')
  const broken = { nginx: false }
  host.disk.guard = (action) => {
    if (action === `write /var/lib/hosting-agent/sites/${NEW}.json`) broken.nginx = true
    if (broken.nginx && action.includes('/etc/nginx/')) throw new Error('read-only file system')
    if (broken.nginx && action.startsWith('write /var/lib/hosting-agent/sites'))
      throw new Error('x')
  }

  const [, reason] = await rename(host)

  expect(reason).toContain(`Providing a certificate for ${NEW} (nginx still reads ${NEW})`)
  expect(await standing(host)).toMatchObject({ links: [NEW], certificates: [NEW] })
  host.disk.guard = () => undefined
  for (const step of (await siteRename.steps?.(renameParams(), host))?.toReversed() ?? [])
    await step.undo?.()
  expect(await standing(host)).toMatchObject({ links: [shop.domain], certificates: [] })
})

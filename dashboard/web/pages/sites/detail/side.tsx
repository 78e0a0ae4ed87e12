import type { Site } from '#dashboard/web/api/sites.ts'
import { MailCard } from '#dashboard/web/features/mail/mail-card.tsx'
import { FactsCard } from './facts-card.tsx'
import { HealthCard } from './health-card.tsx'
import { NotManagedCard } from './not-managed-card.tsx'
import { PasswordsCard } from './passwords-card.tsx'
import { ResourcesCard } from './resources-card.tsx'
import { TlsCard } from './tls-card.tsx'

/** What a site is made of and what can be asked of it, in small cards. */
export function Side({ site, isThere }: { site: Site; isThere: boolean }) {
  const { found, managed, tls, unknown, server_id, id, domain } = site
  const hasTls = !found || tls !== 'none' || unknown.tls !== undefined
  return (
    <div className="flex min-w-0 flex-col gap-5 max-xl:order-first">
      {!managed && <NotManagedCard site={site} isThere={isThere} />}
      <HealthCard site={site} />
      <FactsCard site={site} />
      {!found && <ResourcesCard site={site} isThere={isThere} />}
      {hasTls && <TlsCard site={site} isThere={isThere} />}
      {isThere && !found && <MailCard target={{ server_id, site_id: id }} name={domain} />}
      {isThere && !found && <PasswordsCard site={site} />}
    </div>
  )
}

import type { Site } from '#dashboard/web/api/sites.ts'
import { ButtonLink } from '#dashboard/web/ui/button.tsx'
import { Notice } from '#dashboard/web/ui/notice.tsx'
import { unicodeOf } from '#shared/kernel/unicode-domain.ts'

/** On every tab of a staging site: of which site it is a copy. */
export function StagingNotice({ site: { id, staging, copy_of } }: { site: Site }) {
  if (!staging) return null
  return (
    <Notice
      kind="info"
      title={
        copy_of
          ? `Staging of ${unicodeOf(copy_of.domain)}`
          : 'Staging site; its live site was deleted'
      }
      actions={
        <>
          {copy_of && (
            <ButtonLink to="/sites/$site_id" params={{ site_id: String(copy_of.id) }}>
              Open live site
            </ButtonLink>
          )}
          <ButtonLink
            to="/sites/$site_id"
            params={{ site_id: String(id) }}
            search={{ tab: 'staging' }}
          >
            Manage staging
          </ButtonLink>
        </>
      }
    >
      Visitors need a password. It sends no mail and runs no scheduled jobs.
    </Notice>
  )
}

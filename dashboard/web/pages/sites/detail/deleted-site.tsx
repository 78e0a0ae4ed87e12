import { useQuery } from '@tanstack/react-query'
import { operationQuery } from '#dashboard/web/api/operations.ts'
import { OperationLive } from '#dashboard/web/features/operations/operation-live.tsx'
import { ButtonLink } from '#dashboard/web/ui/button.tsx'
import { NotFound } from '#dashboard/web/ui/not-found.tsx'
import { Page } from '#dashboard/web/ui/page.tsx'
import { unicodeOf } from '#shared/kernel/unicode-domain.ts'

interface DeletedSiteProps {
  /** The last known domain, if this page has shown it. */
  domain: string | undefined
  /** The operation that was started here. */
  operation_id: string | undefined
}

/** A deleted site, with the operation that deleted it. */
export function DeletedSite({ domain: known, operation_id = '' }: DeletedSiteProps) {
  const { data } = useQuery({ ...operationQuery(operation_id), enabled: operation_id !== '' })
  const domain = known ?? data?.domain
  if (domain === undefined) return <NotFound />
  return (
    <Page
      title={`${unicodeOf(domain)} is deleted`}
      about="The dashboard has no record of this site any more."
      actions={
        <>
          <ButtonLink to="/activity" search={{ domain }}>
            Show activity
          </ButtonLink>
          <ButtonLink to="/sites" kind="primary">
            Go to sites
          </ButtonLink>
        </>
      }
    >
      {data && <OperationLive operation_id={data.id} />}
    </Page>
  )
}

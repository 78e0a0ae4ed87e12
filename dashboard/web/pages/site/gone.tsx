import { useQuery } from '@tanstack/react-query'
import { operationQuery } from '../../api/operations.ts'
import { NotFound } from '../../app/not-found.tsx'
import { ButtonLink } from '../../ui/button.tsx'
import { Page } from '../../ui/page.tsx'
import { OperationLive } from '../operation/operation-live.tsx'

interface GoneProps {
  /** As it was known last, when this page has shown it. */
  domain: string | undefined
  /** What was begun here. */
  operation_id: string | undefined
}

/** A site that was here and is not any more: says so, and how that went. */
export function Gone({ domain: known, operation_id = '' }: GoneProps) {
  const { data } = useQuery({ ...operationQuery(operation_id), enabled: operation_id !== '' })
  const domain = known ?? data?.domain
  if (domain === undefined) return <NotFound />
  return (
    <Page
      title={`${domain} is deleted`}
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

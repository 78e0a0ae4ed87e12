import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { isForbidden, isNotFound } from '#dashboard/web/api/client.ts'
import { operationQuery } from '#dashboard/web/api/operations.ts'
import { OperationLive } from '#dashboard/web/features/operations/operation-live.tsx'
import { operationTitle } from '#dashboard/web/labels/operation.ts'
import { NoAccess, NotFound } from '#dashboard/web/ui/not-found.tsx'
import { Page } from '#dashboard/web/ui/page.tsx'
import { ListLink } from '#dashboard/web/ui/record-links.tsx'

export function OperationPage() {
  const { operation_id } = useParams({ from: '/inside/operations/$operation_id' })
  const { data, error } = useQuery(operationQuery(operation_id))
  if (isNotFound(error)) return <NotFound />
  if (isForbidden(error)) return <NoAccess to="operation" />
  return (
    <Page title={data ? operationTitle(data) : 'Operation'} trail={<ListLink to="/operations" />}>
      <OperationLive operation_id={operation_id} untitled />
    </Page>
  )
}

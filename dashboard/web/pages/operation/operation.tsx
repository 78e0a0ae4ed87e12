import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { isNotFound } from '../../api/client.ts'
import { operationTitle } from '../../api/operation-words.ts'
import { operationQuery } from '../../api/operations.ts'
import { NotFound } from '../../app/not-found.tsx'
import { Page } from '../../ui/page.tsx'
import { OperationLive } from './operation-live.tsx'

export function OperationPage() {
  const { operation_id } = useParams({ from: '/inside/operations/$operation_id' })
  const { data, error } = useQuery(operationQuery(operation_id))
  if (isNotFound(error)) return <NotFound />
  return (
    <Page
      title={data ? operationTitle(data) : 'Operation'}
      trail={
        <Link to="/operations" className="hover:underline">
          Operations
        </Link>
      }
    >
      <OperationLive operation_id={operation_id} untitled />
    </Page>
  )
}

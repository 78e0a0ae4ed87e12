import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { operationTitle } from '../../api/operation-words.ts'
import { operationQuery } from '../../api/operations.ts'
import { Page } from '../../ui/page.tsx'
import { OperationLive } from './operation-live.tsx'

export function OperationPage() {
  const { operation_id } = useParams({ from: '/inside/operations/$operation_id' })
  const { data } = useQuery(operationQuery(operation_id))
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

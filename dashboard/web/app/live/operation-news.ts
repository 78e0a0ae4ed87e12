import type { QueryClient } from '@tanstack/react-query'
import { isActive } from '#dashboard/web/api/operations.ts'
import type { OperationView } from '#shared/api/operations.ts'

/** Replaces known operations by their current state. */
export function showOperations(
  client: QueryClient,
  news: ReadonlyMap<string, OperationView>,
): void {
  for (const [id, operation] of news)
    client.setQueryData<OperationView>(['operations', id], (old) => old && operation)
  client.setQueriesData<OperationView[]>({ queryKey: ['operations', 'active'] }, (list) =>
    list?.map((each) => news.get(each.id) ?? each).filter(isActive),
  )
}

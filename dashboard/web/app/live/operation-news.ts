import type { QueryClient } from '@tanstack/react-query'
import { isActive } from '#dashboard/web/api/operations.ts'
import type { OperationView } from '#shared/api/operations.ts'

/** Puts operations as they are now in the place of what was known of them. */
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

import { ApiError } from '../api/client.ts'
import { Page } from '../ui/page.tsx'
import { Failure } from '../ui/states.tsx'
import { NotFound } from './not-found.tsx'

/** In place of a page that cannot be shown. */
export function Broken({ error, reset }: { error: unknown; reset: () => void }) {
  if (error instanceof ApiError && error.status === 404) return <NotFound />
  return (
    <Page title="This page cannot be shown">
      <Failure error={error} onRetry={reset} />
    </Page>
  )
}

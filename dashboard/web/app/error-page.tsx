import { RotateCw, TriangleAlert, WifiOff } from 'lucide-react'
import { useState } from 'react'
import { ApiError, messageOf } from '#dashboard/web/api/client.ts'
import { Button } from '#dashboard/web/ui/button.tsx'
import { NotFound } from '#dashboard/web/ui/not-found.tsx'
import { Page } from '#dashboard/web/ui/page.tsx'
import { Empty, Failure } from '#dashboard/web/ui/states.tsx'
import { isReachable, useWhenReachable } from './lazy-page.ts'

/** In place of a page that cannot be shown. */
export function ErrorPage({ error, reset }: { error: unknown; reset: () => void }) {
  if (!(error instanceof ApiError)) return <Crashed error={error} />
  if (error.status === 404) return <NotFound />
  if (error.status === 0) return <Offline />
  return (
    <Page title="This page cannot be shown">
      <Failure error={error} onRetry={reset} />
    </Page>
  )
}

/** A fault of the page itself: its message helps only developers. */
function Crashed({ error }: { error: unknown }) {
  return (
    <Page title="This page has an error">
      <Empty
        icon={<TriangleAlert />}
        title="The page stopped because of an error in it"
        action={
          <Button icon={<RotateCw />} onClick={() => location.reload()}>
            Reload page
          </Button>
        }
      >
        Nothing on your servers is affected. If it happens again, report it with these details.
        <details className="mt-3 text-left">
          <summary className="cursor-pointer text-center">Show details</summary>
          <pre className="mt-2 overflow-x-auto rounded-lg bg-sunken p-3 text-xs">
            {messageOf(error)}
          </pre>
        </details>
      </Empty>
    </Page>
  )
}

const reload = () => location.reload()

/** In place of a page that could not be loaded: it loads as soon as the dashboard answers. */
function Offline() {
  const [isChecking, setChecking] = useState(false)
  const retry = async () => {
    setChecking(true)
    // A browser never requests a module again that it could not load.
    if (await isReachable()) location.reload()
    else setChecking(false)
  }
  useWhenReachable(reload)
  return (
    <Page title="Dashboard unreachable">
      <Empty
        icon={<WifiOff />}
        title="The dashboard does not answer"
        action={
          <Button icon={<RotateCw />} busy={isChecking} onClick={retry}>
            Try again
          </Button>
        }
      >
        Check your connection, and that the dashboard is running. This page is loaded as soon as it
        answers. Running operations are not affected.
      </Empty>
    </Page>
  )
}

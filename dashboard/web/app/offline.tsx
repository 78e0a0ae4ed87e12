import { RotateCw, WifiOff } from 'lucide-react'
import { useEffect, useState } from 'react'
import { Button } from '#dashboard/web/ui/button.tsx'
import { Page } from '#dashboard/web/ui/page.tsx'
import { Empty } from '#dashboard/web/ui/states.tsx'
import { isReachable } from './lazy-page.ts'

const AGAIN_MS = 5_000

/** In place of a page that could not be loaded: it loads as soon as the dashboard answers. */
export function Offline() {
  const [isAsking, setAsking] = useState(false)
  const retry = async () => {
    setAsking(true)
    // A browser never requests a module again that it could not load.
    if (await isReachable()) location.reload()
    else setAsking(false)
  }
  useEffect(() => {
    const timer = setInterval(async () => {
      if (await isReachable()) location.reload()
    }, AGAIN_MS)
    return () => clearInterval(timer)
  }, [])
  return (
    <Page title="Dashboard unreachable">
      <Empty
        icon={<WifiOff />}
        title="The dashboard does not answer"
        action={
          <Button icon={<RotateCw />} busy={isAsking} onClick={retry}>
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

import { useRouterState } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { Skeleton } from '#dashboard/web/ui/states.tsx'

const LONG_MS = 8_000

/** While the first page is loading. */
export function Pending() {
  return (
    <div className="mx-auto w-full max-w-[100rem] px-4 py-5 sm:px-6 lg:px-8">
      <Skeleton rows={8} />
    </div>
  )
}

/** Above every page while the next one is loading, with a message if that takes long. */
export function Progress() {
  const isPending = useRouterState({ select: ({ status }) => status === 'pending' })
  return isPending ? <Bar /> : null
}

function Bar() {
  const [isLong, setLong] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setLong(true), LONG_MS)
    return () => clearTimeout(timer)
  }, [])
  return (
    <div role="status" className="fixed inset-x-0 top-0 z-60">
      <span className="sr-only">Loading the page</span>
      <div aria-hidden className="loading-bar h-0.5 bg-accent-solid" />
      {isLong && (
        <p className="mx-auto mt-2 w-fit rounded-lg border border-line bg-raised px-3 py-1.5 text-xs shadow-lg">
          The dashboard has not answered yet. Still waiting…
        </p>
      )}
    </div>
  )
}

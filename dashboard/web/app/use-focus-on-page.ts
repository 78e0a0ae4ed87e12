import { useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'

/** Moves the focus to the heading of the next page, for screen readers. */
export function useFocusOnPage(): void {
  const router = useRouter()
  useEffect(
    () =>
      router.subscribe('onRendered', ({ pathChanged, fromLocation }) => {
        if (!pathChanged || !fromLocation) return
        const content = document.getElementById('content')
        // The page has set the focus itself.
        if (!content || content.contains(document.activeElement)) return
        const heading = content.querySelector<HTMLElement>('h1')
        const place = heading ?? content
        place.focus({ preventScroll: true })
      }),
    [router],
  )
}

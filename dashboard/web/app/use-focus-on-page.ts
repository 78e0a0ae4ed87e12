import { useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'

/** Another page begins at its heading, also for those who do not see it. */
export function useFocusOnPage(): void {
  const router = useRouter()
  useEffect(
    () =>
      router.subscribe('onRendered', ({ pathChanged, fromLocation }) => {
        if (!pathChanged || !fromLocation) return
        const content = document.getElementById('content')
        // A page that knows better has the focus already.
        if (!content || content.contains(document.activeElement)) return
        const heading = content.querySelector<HTMLElement>('h1')
        const place = heading ?? content
        place.focus({ preventScroll: true })
      }),
    [router],
  )
}

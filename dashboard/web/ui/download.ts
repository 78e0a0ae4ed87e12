import { ApiError } from '#dashboard/web/api/client.ts'
import { withConfirmation } from '#dashboard/web/api/password-confirmation.ts'
import { CONFIRMATION } from '#dashboard/web/api/wp-login.ts'
import { saveFrom } from './save-text.ts'

/**
 * Downloads what needs the password of the last ten minutes. The call is made without its answer
 * first, since a browser shows nothing of a download that is refused.
 */
async function download(url: string): Promise<void> {
  await withConfirmation(async () => {
    const { status } = await fetch(url, { method: 'HEAD' })
    if (status === 409)
      throw new ApiError(status, { message: 'Confirm your password first', code: CONFIRMATION })
  })
  saveFrom(url)
}

/** Starts a download; one whose password the user does not enter is left out. */
export const startDownload = (url: string, onStart: () => void = () => undefined): void =>
  void download(url).then(onStart, () => undefined)

// /records.php: a tenant's lists, with their views and exports, and its record pages. The query decides which page is
// shown.

import { toLocalizedRequest, toRecordRequest } from '../../requests/authorize.ts'
import { readIdParameter } from '../../requests/read-number.ts'
import type { RecordRequest, SignedInRequest } from '../../requests/request.ts'
import { PageError, type PageResponse } from '../../responses.ts'
import { exportList } from '../lists/export.ts'
import { deleteView, saveView } from '../lists/saved-views.ts'
import { showList } from '../lists/show-list.ts'
import { readState } from '../lists/state.ts'
import { showDeleteForm, submitDeletion } from './delete.ts'
import { showRecord } from './detail/page.ts'
import { showPastRecord } from './detail/past-record.ts'
import { showEraseForm, submitErasure } from './erase.ts'
import { saveRecord, showEditForm, showNewForm } from './form/page.ts'
import { readPastMoment } from './past.ts'

export async function showRecords(request: SignedInRequest): Promise<PageResponse> {
  const recordRequest = await openRecords(request)
  const { query } = request
  if (query.has('new')) return showNewForm(recordRequest)
  if (query.has('format')) return exportList(recordRequest)
  const id = readIdParameter(query)
  if (id === null) return showList(recordRequest)
  if (query.has('edit')) return showEditForm(recordRequest, id)
  if (query.has('delete')) return showDeleteForm(recordRequest, id)
  if (query.has('erase')) return showEraseForm(recordRequest, id)
  const past = readPastMoment(recordRequest)
  return past === null ? showRecord(recordRequest, id) : showPastRecord(recordRequest, id, past)
}

export async function submitRecords(request: SignedInRequest): Promise<PageResponse> {
  const recordRequest = await openRecords(request)
  const id = readIdParameter(request.query)
  if (request.query.has('save_view')) return saveView(recordRequest, readState(recordRequest))
  if (request.query.has('delete_view')) return deleteView(recordRequest)
  if (request.query.has('delete') && id !== null) return submitDeletion(recordRequest, id)
  if (request.query.has('erase') && id !== null) return submitErasure(recordRequest, id)
  if (request.query.has('new') || (request.query.has('edit') && id !== null)) return saveRecord(recordRequest, id)
  throw new PageError(405, 'method_not_allowed')
}

/** The parameters of pages whose forms change a record. */
const formParams = ['new', 'edit', 'delete', 'erase']

async function openRecords(request: SignedInRequest): Promise<RecordRequest> {
  const isAboutChange = formParams.some((name) => request.query.has(name))
  const tenantRequest = await toLocalizedRequest(request, isAboutChange ? 'write' : 'read')
  return toRecordRequest(tenantRequest, request.query.get('resource') ?? tenantRequest.resources[0]!.name)
}

// What happens in the demo company in two years, in chronological order. It leaves work for today: overdue loans, long
// repairs, warranties that end soon, and leavers who still have equipment.

import type { VerbName } from '../../domain/equipment/verbs.ts'

/** `day`: the number of days before today. `at`: the time of day in the company's time zone. */
type Moment = { day: number; at: string }

/** A verb is applied to items, given by their tags. `person` and `branch`: who receives them; branches by their codes.
 *  `due`: the day on which a loan ends. */
export type VerbEvent = Moment & {
  verb: VerbName
  items: string
  person?: string
  branch?: string
  due?: number
  note?: string
}

/** Somebody leaves and returns items. `last`: the last day of work. */
export type LeavingEvent = Moment & { leaver: string; last: number; items: string }

/** A record changes without a verb. `subject`: a person's name or an item's tag. */
export type EditEvent = Moment & { subject: string; values: Record<string, string>; lastDay?: number }

export type StoryEvent = VerbEvent | LeavingEvent | EditEvent

export const story: StoryEvent[] = [
  { day: 688, at: '10:20', verb: 'send_to_repair', items: 'TD-0012', note: 'Trigger is stuck.' },
  { day: 671, at: '14:10', verb: 'back_from_repair', items: 'TD-0012' },
  { day: 630, at: '09:40', verb: 'lend', items: 'TD-0037', person: 'Elif Yıldız', due: 616 },
  { day: 617, at: '16:05', verb: 'return', items: 'TD-0037' },
  { day: 584, at: '11:30', verb: 'lend', items: 'TD-0040', person: 'Clara Neumann', due: 580 },
  { day: 580, at: '15:20', verb: 'return', items: 'TD-0040' },
  { day: 560, at: '10:45', verb: 'retire', items: 'TD-0029', note: 'Too slow. Given to a school.' },
  { day: 531, at: '08:50', verb: 'send_to_repair', items: 'TD-0008', note: 'Brakes, at the garage.' },
  { day: 524, at: '13:15', verb: 'back_from_repair', items: 'TD-0008' },
  { day: 505, at: '10:00', verb: 'lend', items: 'TD-0038', person: 'Deniz Aydın', due: 491 },
  { day: 489, at: '09:25', verb: 'return', items: 'TD-0038' },
  { day: 470, at: '14:40', verb: 'lend', items: 'TD-0040', person: 'Sofia Rossi', due: 465 },
  { day: 466, at: '11:05', verb: 'return', items: 'TD-0040' },
  { day: 420, at: '15:30', leaver: 'Paul Schneider', last: 418, items: 'TD-0018 TD-0027' },
  { day: 402, at: '10:31', verb: 'send_to_repair', items: 'TD-0005', note: 'Keyboard.' },
  { day: 391, at: '15:47', verb: 'back_from_repair', items: 'TD-0005' },
  { day: 352, at: '09:50', verb: 'lend', items: 'TD-0043', person: 'Nora Lindqvist', due: 340 },
  { day: 341, at: '16:20', verb: 'return', items: 'TD-0043' },
  { day: 330, at: '11:40', verb: 'move', items: 'TD-0063', branch: 'IZM' },
  { day: 322, at: '13:35', verb: 'hand_over', items: 'TD-0032', person: 'Sofia Rossi' },
  { day: 288, at: '10:15', verb: 'lend', items: 'TD-0037', person: 'Lena Fischer', due: 274 },
  { day: 276, at: '14:00', verb: 'return', items: 'TD-0037' },
  { day: 260, at: '15:10', leaver: 'Burak Demir', last: 258, items: 'TD-0023' },
  { day: 230, at: '11:25', verb: 'retire', items: 'TD-0018', note: 'Battery swollen.' },
  { day: 215, at: '09:30', subject: 'Oskar Lehmann', values: { title: 'System administrator' } },
  { day: 186, at: '10:05', verb: 'send_to_repair', items: 'TD-0006', note: 'Paper jam at every page.' },
  { day: 179, at: '13:50', verb: 'back_from_repair', items: 'TD-0006' },
  { day: 172, at: '09:15', verb: 'lend', items: 'TD-0041 TD-0042', person: 'Hannah Krüger', due: 168 },
  { day: 167, at: '15:45', verb: 'return', items: 'TD-0041 TD-0042' },
  { day: 149, at: '14:25', leaver: 'Nora Lindqvist', last: 147, items: 'TD-0021' },
  { day: 138, at: '11:10', verb: 'return', items: 'TD-0030' },
  { day: 131, at: '10:55', verb: 'retire', items: 'TD-0030' },
  { day: 117, at: '13:20', verb: 'lend', items: 'TD-0039', person: 'Femke Visser', due: 103 },
  { day: 104, at: '09:05', verb: 'return', items: 'TD-0039' },
  { day: 89, at: '16:30', leaver: 'Amara Singh', last: 86, items: 'NW-0107' },
  { day: 71, at: '10:35', verb: 'assign', items: 'TD-0060', person: 'Sanne de Vries' },
  { day: 59, at: '11:15', verb: 'assign', items: 'TD-0055 TD-0068', person: 'Miriam Vogel' },
  { day: 46, at: '14:05', verb: 'hand_over', items: 'TD-0004', person: 'Ada Sommer' },
  { day: 44, at: '15:00', leaver: 'Daan Mulder', last: 42, items: 'TD-0053' },
  { day: 37, at: '09:20', verb: 'report_lost', items: 'TD-0016', note: 'Not found at the last count.' },
  {
    day: 23,
    at: '08:55',
    verb: 'send_to_repair',
    items: 'TD-0009',
    note: 'Does not start. Power supply ordered.',
  },
  { day: 17, at: '11:20', verb: 'lend', items: 'TD-0004', person: 'Jonas Weber', due: 3 },
  { day: 10, at: '13:40', verb: 'lend', items: 'TD-0038', person: 'Luca Moretti', due: -5 },
  { day: 8, at: '16:10', leaver: 'Tom Barker', last: 6, items: '' },
  { day: 6, at: '09:45', verb: 'send_to_repair', items: 'TD-0019', note: 'Screen flickers.' },
  { day: 5, at: '09:40', verb: 'hand_over', items: 'TD-0011', person: 'Elif Yıldız' },
  { day: 4, at: '14:15', verb: 'lend', items: 'TD-0040', person: 'Miriam Vogel', due: 1 },
  { day: 3, at: '10:50', subject: 'TD-0070', values: { status: 'reserved', notes: 'For the new colleague in sales.' } },
  { day: 2, at: '13:25', verb: 'hand_over', items: 'TD-0011', person: 'Deniz Aydın' },
  { day: 2, at: '16:00', subject: 'Clara Neumann', values: {}, lastDay: -24 },
  { day: 1, at: '10:02', subject: 'Deniz Aydın', values: {}, lastDay: -10 },
]

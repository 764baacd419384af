// What stands for flame_cells.js and flame_time.js in a graph that does not tell threads and times apart.
const threads = [], nothing = () => [], shownThreads = nothing, timeStrip = nothing, threadWords = nothing, threadList = nothing, showThreads = nothing;
const span = () => null, timeOf = span, readCells = span, showTime = span, cutTime = span, errorOf = () => '', errorOfRuns = errorOf;
const chosenWeights = () => M;
let cells;

function readAxes(r) {
	cells = r.int();
}
